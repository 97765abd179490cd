package provider

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/winperf/winperf/counter"
)

// Object declares a performance object.
//
// Title indices are indices of the name table: even ones for names, odd ones for help texts. One index
// has the same text everywhere.
type Object struct {
	Index uint32 // title index: even, not 0
	Name  string
	Help  string
	// HelpIndex is the title index of the help text: odd; 0 means Index + 1.
	HelpIndex uint32
	// Languages are its texts in languages other than English, by language id, such as "00C". It may be
	// nil.
	Languages map[string]Text
	// Multi reports that the object has instances; otherwise it has a single unnamed one.
	Multi bool
	// Costly excludes the object from "Global" queries.
	Costly bool
	// Default is the position in Counters of the counter to show first.
	Default  int
	Counters []Counter
}

// Counter declares one counter of an object. If the type needs a base, the library adds the base
// definition directly after the counter and without titles, as Microsoft Learn requires.
type Counter struct {
	Index uint32 // title index: even, not 0
	Name  string
	Help  string
	// HelpIndex is the title index of the help text: odd; 0 means Index + 1. Counters of several objects
	// with the same name but different help texts need different indices.
	HelpIndex uint32
	Languages map[string]Text // as in Object
	Type      counter.Type
	Scale     int32 // DefaultScale: power of ten for graphs, -10 to 10
	// Detail is the level of detail; 0 means Novice.
	Detail Detail
	// BaseSlot names the raw value of the base. Counters of one object with the same non-empty BaseSlot
	// share one value, which is set through any of them; if it is empty, the counter has a separate base.
	BaseSlot string
}

// Text is a name and its help text.
type Text struct {
	Name string `json:"name"`
	Help string `json:"help,omitempty"`
}

// Detail is a level of detail (winperf.h: PERF_DETAIL_*).
type Detail uint32

// The levels.
const (
	Novice   Detail = 100
	Advanced Detail = 200
	Expert   Detail = 300
	Wizard   Detail = 400
)

func (o *Object) helpIndex() uint32 { return cmp.Or(o.HelpIndex, o.Index+1) }

func (c *Counter) helpIndex() uint32 { return cmp.Or(c.HelpIndex, c.Index+1) }

// ErrSchema is wrapped by every error about a declaration.
var ErrSchema = errors.New("bad counter declaration")

// Check returns the faults of the declaration: the first one of the object itself and of each counter.
// The error wraps ErrSchema.
func (o *Object) Check() error {
	var errs []error
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("object %q (index %d): %s: %w", o.Name, o.Index,
			fmt.Sprintf(format, args...), ErrSchema))
	}
	if msg := o.check(); msg != "" {
		fault("%s", msg)
	}

	names := map[string]bool{}
	indices := map[uint32]bool{}
	bases := map[string]int{}
	for i := range o.Counters {
		c := &o.Counters[i]
		if msg := c.check(); msg != "" {
			fault("counter %d %q: %s", c.Index, c.Name, msg)
			continue
		}

		name := strings.ToLower(c.Name) // names ignore case
		if names[name] || indices[c.Index] {
			fault("counter %d %q: its title index or name is already used in this object", c.Index, c.Name)
		}

		names[name], indices[c.Index] = true, true
		width := c.baseWidth()
		if other, ok := bases[c.BaseSlot]; ok && c.BaseSlot != "" && other != width {
			fault("counter %d %q: its base of %d bytes shares the slot %q with one of %d", c.Index, c.Name,
				width, c.BaseSlot, other)
		}
		bases[c.BaseSlot] = width
	}
	return errors.Join(errs...)
}

func (o *Object) check() string {
	if msg := titleFault(o.Index, o.HelpIndex, o.Name); msg != "" {
		return msg
	}
	switch n := len(o.Counters); {
	case n == 0:
		return "no counters"
	case o.Default < 0 || o.Default >= n:
		return fmt.Sprintf("default counter %d is not one of the %d counters", o.Default, n)
	}
	return ""
}

func titleFault(index, help uint32, name string) string {
	switch {
	case index == 0 || index%2 != 0:
		return "title index is not an even number above 0"
	case help == 1 || help != 0 && help%2 == 0: // 1 is the highest index of Windows' own counters
		return fmt.Sprintf("help index %d is not an odd number above 1", help)
	case name == "":
		return "no name"
	}
	return ""
}

func (c *Counter) check() string {
	if msg := titleFault(c.Index, c.HelpIndex, c.Name); msg != "" {
		return msg
	}

	info, known := c.Type.Info()
	switch {
	case !known:
		return fmt.Sprintf("unknown type %v", c.Type)
	case c.Type.IsBase():
		return "do not declare a base: the library adds it after its counter"
	case info.Bytes != 4 && info.Bytes != 8:
		return fmt.Sprintf("type %v has no value of 4 or 8 bytes", c.Type)
	case c.Scale < -10 || c.Scale > 10:
		return fmt.Sprintf("scale %d is outside -10 to 10", c.Scale)
	case c.Detail > Wizard || c.Detail%Novice != 0:
		return fmt.Sprintf("detail level %d is not 100, 200, 300 or 400", c.Detail)
	case c.BaseSlot != "" && info.Base == 0:
		return "has a base slot, but its type has no base"
	}
	return ""
}

func (c *Counter) baseWidth() int {
	info, _ := c.Type.Info()
	if info.Base == 0 {
		return 0
	}
	base, _ := info.Base.Info()
	return base.Bytes
}
