package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// reader is one way to read counters.
type reader struct {
	name string
	// objects returns the objects that it can read; nil means all objects of the base.
	objects func(ctx context.Context) ([]string, error)
	look    func(ctx context.Context, object string) (*Look, error)
	// isBase reports that other readers can be compared with this one: it has raw values with clocks.
	isBase bool
}

// driver reads counters from a source. It has one query for each object.
type driver struct {
	name    string
	src     winperf.Source
	queries map[string]*query

	schema *winperf.Schema
	names  *nametable.Names
	blocks blocks
	global *Look // at all objects
}

type query struct {
	winperf.Query
	sample winperf.Sample
	pool   frame.Pool
}

func newDriver(name string, src winperf.Source) *driver {
	return &driver{name: name, src: src, queries: map[string]*query{}, names: &nametable.Names{}}
}

// reader returns the driver as a reader. PDH is asked for the objects that others have: it must add each
// counter, which takes long for all, and fails as a whole if one cannot be added.
func (d *driver) reader() reader {
	r := reader{
		name: d.name, objects: d.objects, isBase: !d.src.Describe().Cooked,
		look: func(ctx context.Context, object string) (*Look, error) {
			return d.look(ctx, object, winperf.Selection{Paths: []winperf.Path{wholeObject(object)}})
		},
	}
	if strings.HasPrefix(d.name, "pdh:") {
		r.objects, r.isBase = nil, false
	}
	return r
}

func wholeObject(name string) winperf.Path {
	return winperf.Path{Object: name, Instance: "*", HasInstance: true, Counter: "*"}
}

// everything is the query of all objects that are not costly. It is not the name of an object.
const everything = ""

var global = winperf.Selection{Global: true}

// objects returns the objects of the source that are not costly.
func (d *driver) objects(ctx context.Context) ([]string, error) {
	look, err := d.look(ctx, everything, global)
	if err != nil {
		return nil, err
	}
	d.global = look
	var all []string
	for name := range look.Counters {
		all = append(all, name.Object)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// lookLimit is the longest time for one look.
const lookLimit = 20 * time.Second

// look returns a look at the objects that sel selects.
func (d *driver) look(ctx context.Context, object string, sel winperf.Selection) (*Look, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	q := d.queries[object]
	if q == nil {
		compiled, err := d.src.Compile(ctx, sel)
		if err != nil {
			return nil, err
		}
		q = &query{Query: compiled}
		d.queries[object] = q
	}

	if err := q.Next(ctx, &q.sample); err != nil {
		return nil, err
	}
	q.sample.Keep()
	kept := q.sample
	d.blocks.add(&kept)
	return d.lookOf(&kept, &q.pool, object)
}

// lookOf decodes a sample.
func (d *driver) lookOf(s *winperf.Sample, pool *frame.Pool, object string) (*Look, error) {
	f, err := pool.Decode(s, frame.Frame{})
	if err != nil {
		return nil, err
	}
	if s.Schema != d.schema {
		d.schema = s.Schema
		d.names, _ = nametable.FromSchema(s.Schema) // checked on its own
	}

	l := &Look{Reader: d.name, Object: object, Time: f.Time(), Counters: map[Name]*Counter{}, sample: s}
	l.fill(f, d.names)
	if len(l.Counters) == 0 && object != everything {
		return nil, errors.Join(fmt.Errorf("%s has no values of %s", d.name, object), errors.Join(f.Damage()...))
	}
	return l, nil
}

func (d *driver) close() error {
	var errs []error
	for _, q := range d.queries {
		errs = append(errs, q.Close())
	}
	return errors.Join(append(errs, d.src.Close())...)
}
