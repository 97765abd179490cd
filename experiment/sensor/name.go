// Package sensor names what can be measured in the form of the Java Performance Measurement Framework, and
// describes it: a [Catalogue] has the sensors of a source, their kinds and value types, instances and clocks.
// A [Joint] measures sensors of several sources at the same moment.
package sensor

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// ErrName says that a text is no sensor name.
var ErrName = errors.New("bad sensor name")

// Name names a sensor, or one instance of it, in the form of the Java
// Performance Measurement Framework:
//
//	source/group/sensor
//	source/group/sensor#instance
//	source/group/sensor#instance#index
//
// The group is the object's name, the sensor the counter's and the instance
// what stands in a path, parent/name where it has a parent. The index tells
// instances of one name apart; 0, the first, is not written.
//
// The characters / # and % within a name are written %2F, %23 and %25. %20 is read
// as a space. Any other % is literal, so that
// windows.winperf/Processor/% Processor Time can be typed.
type Name struct {
	Source string // such as windows.winperf, see SourceName
	Group  string
	Sensor string
	// Instance is the instance's full name, without the index.
	Instance string
	Index    int // which of several equal instances, 0-based; winperf.AnyIndex for all
	// HasInstance reports whether there is an instance: its name may be empty.
	HasInstance bool
}

// ParseName reads a sensor name. Every name that String writes reads back
// as the same Name, unless its source, group or sensor is empty or its
// index no number of instances. The error wraps ErrName and says where
// the text is wrong.
func ParseName(text string) (Name, error) {
	fail := func(offset int, expected string) (Name, error) {
		return Name{}, fmt.Errorf("%w %q, byte offset %d: expected %s",
			ErrName, text, offset, expected)
	}
	head, instance, found := strings.Cut(text, "#")
	parts := strings.SplitN(head, "/", 4)
	if len(parts) != 3 {
		const form = "source/group/sensor, got %d parts (a / in a name is written %%2F)"
		return fail(len(head), fmt.Sprintf(form, len(parts)))
	}

	offset := 0
	for i, part := range parts {
		if part == "" {
			return fail(offset, "a "+[...]string{"source", "group", "sensor"}[i])
		}
		parts[i] = sensorUnescaper.Replace(part)
		offset += len(part) + 1
	}

	n := Name{Source: parts[0], Group: parts[1], Sensor: parts[2], HasInstance: found}
	instance, index, found := strings.Cut(instance, "#")
	n.Instance = sensorUnescaper.Replace(instance)
	switch {
	case !found:
	case index == "*":
		n.Index = winperf.AnyIndex
	default:
		i, err := strconv.ParseUint(index, 10, 31)
		if err != nil {
			return fail(len(text)-len(index), "the number of an instance or * (a # in a name is written %23)")
		}
		n.Index = int(i)
	}
	return n, nil
}

var (
	sensorEscaper   = strings.NewReplacer("%", "%25", "/", "%2F", "#", "%23")
	sensorUnescaper = strings.NewReplacer("%25", "%", "%2F", "/", "%2f", "/", "%23", "#", "%20", " ")
)

// String returns the name as text.
func (n Name) String() string {
	b := make([]byte, 0, 64)
	for _, part := range [...]string{n.Source, n.Group, n.Sensor} {
		b = append(b, sensorEscaper.Replace(part)...)
		b = append(b, '/')
	}

	b = b[:len(b)-1]
	if !n.HasInstance {
		return string(b)
	}

	b = append(b, '#')
	b = append(b, sensorEscaper.Replace(n.Instance)...)
	switch {
	case n.Index == winperf.AnyIndex:
		b = append(b, "#*"...)
	case n.Index != 0:
		b = append(b, '#')
		b = strconv.AppendInt(b, int64(n.Index), 10)
	}
	return string(b)
}

// NewName returns the sensor name of a path's counter in a source. The
// path's machine is left out: it is the source's.
func NewName(source string, p winperf.Path) Name {
	return Name{
		Source: source, Group: p.Object, Sensor: p.Counter,
		Instance: p.Instance, Index: p.Index, HasInstance: p.HasInstance,
	}
}

// Path returns the path of the counter, without machine. Wildcards mean what they mean in a
// path. Path does not check the parts: some names cannot stand in a path, and
// winperf.Path.Validate reports them.
func (n Name) Path() winperf.Path {
	return winperf.Path{
		Object: n.Group, Counter: n.Sensor,
		Instance: n.Instance, Index: n.Index, HasInstance: n.HasInstance,
	}
}

// Assign returns origins with the paths of sensors, each in the origin that the sensor's name begins with.
// The error wraps winperf.ErrNoMachine where there is none of that name.
func Assign(origins []Origin, names []Name) ([]Origin, error) {
	all := slices.Clone(origins)
	for i := range all {
		all[i].Paths = slices.Clip(all[i].Paths)
	}
	for _, n := range names {
		i := slices.IndexFunc(all, func(o Origin) bool { return strings.EqualFold(o.Name, n.Source) })
		if i < 0 {
			return nil, fmt.Errorf("sensor %s: %w: there is no source %s", n, winperf.ErrNoMachine, n.Source)
		}
		all[i].Paths = append(all[i].Paths, n.Path())
	}
	return all, nil
}

// The names of sources in sensor names.
const (
	windowsSource = "windows.winperf" // what Windows counts, live or recorded
	linuxSource   = "linux.winperf"   // what a Linux host counts
)

// SourceName returns the default name, in sensor names, of a source whose samples have the
// schema: linux.winperf for counters of a Linux host, windows.winperf for all others.
func SourceName(s *winperf.Schema) string {
	if s != nil && s.Interface == "local" {
		return linuxSource
	}
	return windowsSource
}

// UsualSource reports whether a name is one that SourceName gives, in either case. Sensor names that
// begin so name the same counter in any source. win32.winperf is how the Java Performance Measurement
// Framework spells Windows, too.
func UsualSource(name string) bool {
	return strings.EqualFold(name, windowsSource) || strings.EqualFold(name, linuxSource) ||
		strings.EqualFold(name, "win32.winperf")
}
