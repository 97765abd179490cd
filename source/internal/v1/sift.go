package v1

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
)

// The lengths in an object's header are the only way to the next object. Wrong lengths hide all
// objects after it, and an object too large for every buffer prevents any answer. The query
// therefore finds the object by requesting smaller lists, and then requests the others without it.

const (
	maxSiftQueries = 64
	siftChunk      = 1400 // title indices in one query: 10 digits each fit into a value name
)

// firstOmission is how long a damaged object is omitted at first. The time doubles each time, up to
// 10 minutes.
const firstOmission = 10 * time.Second

// chained reports whether the lengths in a block lead to its last object, and appends the title
// indices on the way to titles. slack is the number of bytes after the last object. For a block
// with a damaged header it returns true: the decoder reports the damage.
func chained(titles []uint32, b []byte) (found []uint32, slack uint64, ok bool) {
	rest, count, err := datablock.Objects(b, 0)
	if err != nil {
		return titles, 0, true
	}

	for range count {
		var object datablock.ObjectBytes
		if object, rest, err = datablock.CutObject(rest); err != nil {
			return titles, 0, false
		}
		titles = append(titles, object.Title())
	}
	return titles, uint64(len(rest)), true
}

// sifted is the request of a query while objects are omitted.
type sifted struct {
	request request
	good    []uint32 // title indices
	objects []omitted
	pause   time.Duration

	known  *known          // source of schema
	schema *winperf.Schema // with the damage
}

// all returns the title indices of all objects, including omitted ones.
func (s *sifted) all() []uint32 {
	titles := slices.Clone(s.good)
	for _, o := range s.objects {
		titles = append(titles, o.title)
	}
	return titles
}

// omitted is an omitted object, which prevented others from being read.
type omitted struct {
	title uint32
	why   error
}

var errChain = errors.New("its lengths do not lead to the next object")

// schemaOf returns the schema of a sample without the omitted objects, with their damage.
func (s *sifted) schemaOf(k *known) *winperf.Schema {
	if s.known != k {
		schema := *k.schema
		schema.Damage = slices.Clone(schema.Damage)
		for _, o := range s.objects {
			schema.Damage = append(schema.Damage,
				fmt.Errorf("object %d (%s) keeps others from being read and is left out for %v: %w: %w",
					o.title, k.names.Title(o.title), s.pause, o.why, winperf.ErrBadData))
		}
		s.known = k
		s.schema = &schema
	}
	return s.schema
}

// sifter finds the objects that damage a block.
type sifter struct {
	source  *Source
	ctx     context.Context
	queries int
	buf     []byte
	size    int
	strict  bool // bytes after the last object are damage, too

	good []uint32
	bad  []omitted
}

// sift finds the objects that damage the block. It returns a request without them, or nil if none
// is found.
func (s *Source) sift(ctx context.Context, titles []uint32) *sifted {
	w := sifter{source: s, ctx: ctx, size: startClass}
	if titles == nil { // for "Global": every name that is not costly may be an object
		k := s.known.Load()
		costly, _ := s.class(ctx, k, "Costly") // on errors none is known
		titles = slices.DeleteFunc(k.titles(), func(t uint32) bool { return slices.Contains(costly, t) })
	}

	// A provider that returns more bytes than it wrote damages only the objects after it; queried
	// alone, it leaves bytes at the end. Intact providers may do that, too, so such bytes count only
	// if nothing else explains the damage.
	for _, w.strict = range []bool{false, true} {
		w.good, w.bad = nil, nil
		for chunk := range slices.Chunk(titles, siftChunk) {
			if !w.tryTitles(chunk) {
				return nil
			}
		}
		if len(w.bad) > 0 {
			break
		}
	}

	if len(w.good) == 0 || len(w.bad) == 0 {
		return nil
	}
	slices.Sort(w.good)
	w.good = slices.Compact(w.good)
	name := s.valueName(listName(w.good))
	if len(name) > maxValueName {
		return nil
	}

	return &sifted{
		good:    w.good,
		request: request{name: wire.Units(name), typ: winapi.REG_BINARY, size: w.size},
		objects: w.bad,
	}
}

// tryTitles queries some objects, and halves of the list if the block is damaged. It reports whether to
// continue.
func (w *sifter) tryTitles(titles []uint32) bool {
	if w.queries == maxSiftQueries || w.ctx.Err() != nil {
		return false
	}
	w.queries++
	q := request{name: wire.Units(w.source.valueName(listName(titles))), typ: winapi.REG_BINARY, size: w.size}
	b, err := w.source.reader.read(w.ctx, &q, w.buf)
	w.buf = b
	w.size = q.size
	if err != nil && !errors.Is(err, errTooLarge) {
		return false
	}

	if err == nil {
		err = errChain
		good, slack, ok := chained(w.good, b)
		if ok && (slack == 0 || !w.strict) {
			w.good = good
			return true
		}
	}

	if len(titles) == 1 {
		w.bad = append(w.bad, omitted{titles[0], err})
		return true
	}
	half := len(titles) / 2
	return w.tryTitles(titles[:half]) && w.tryTitles(titles[half:])
}

// titles returns the title indices of all names, of objects and of counters.
func (k *known) titles() []uint32 {
	var all []uint32
	for _, id := range k.names.Languages() {
		names, _ := k.names.Tables(id)
		for index := range names.All() {
			if index > 1 {
				all = append(all, index)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// listName returns title indices as a value name.
func listName(titles []uint32) string {
	words := make([]string, len(titles))
	for i, t := range titles {
		words[i] = strconv.FormatUint(uint64(t), 10)
	}
	return strings.Join(words, " ")
}
