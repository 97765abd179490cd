package pdh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/winapi"
)

// Compile implements winperf.Source. Paths may be in the system's language or in English. A path
// with a wildcard in the object or the counter is matched with the names in the system's language,
// and selects no costly objects.
func (s *source) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	if err := selection.CheckMachine(sel.Paths, s.machine); err != nil {
		return nil, err
	}
	q := newQuery(s)
	var err error
	left := s.line.Do(ctx, 0, func(ctx context.Context) {
		err = q.compile(ctx, sel)
		if err == nil {
			err = ctx.Err() // the caller may have stopped waiting
		}
		if err != nil {
			_ = q.close()
		}
	})

	if left != nil {
		return nil, fmt.Errorf("pdh: %w", left)
	}
	if err != nil {
		return nil, err
	}
	if q.formatted && !sel.Metadata {
		return &cookedQuery{query: q}, nil
	}
	return q, nil
}

// compile opens the query and adds the counters.
func (q *query) compile(ctx context.Context, sel winperf.Selection) (err error) {
	if q.handle, err = q.source.calls.openQuery(); err != nil {
		return failed("PdhOpenQuery", "", err)
	}
	q.open = true
	q.source.queries[q] = struct{}{}

	all := slices.Clone(sel.Paths)
	for _, id := range sel.Objects {
		if o := q.source.catalog.byID(id); o != nil {
			all = append(all, whole(o.name))
		}
	}

	if sel.Global || sel.Costly {
		names, err := q.classes(sel)
		if err != nil {
			return err
		}
		for _, name := range names {
			all = append(all, whole(name))
		}
	}

	for _, p := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := q.path(p); err != nil {
			return err
		}
	}

	q.metadata = sel.Metadata
	q.settle()
	return q.source.publish()
}

// whole returns the path of all counters of an object.
func whole(object string) winperf.Path { return winperf.Path{Object: object, Counter: "*"} }

// classes returns the objects that are not costly, the costly ones, or both.
func (q *query) classes(sel winperf.Selection) ([]string, error) {
	cheap, err := q.source.objectNames(false)
	if err != nil || !sel.Costly {
		return cheap, err
	}
	all, err := q.source.objectNames(true)
	if err != nil || sel.Global {
		return all, err
	}
	return slices.DeleteFunc(all, func(s string) bool { return slices.Contains(cheap, s) }), nil
}

// byID returns the object with an identity, or nil.
func (c *catalog) byID(id winperf.ObjectID) *object {
	for _, o := range c.objects {
		if id.Is(winperf.ObjectID{Index: o.title}) {
			return o
		}
	}
	return nil
}

// path adds the counters of a path.
func (q *query) path(p winperf.Path) error {
	path := selection.NewPath(p)
	objects := []string{p.Object}
	if path.Object.Wildcard() {
		names, err := q.source.objectNames(false)
		if err != nil {
			return err
		}
		objects = matching(&path.Object, names)
	}

	for _, o := range objects {
		counters, multiple := []string{p.Counter}, p.HasInstance
		if path.Counter.Wildcard() {
			all, _, several, err := q.source.client.items(q.source.remote(), o)
			switch {
			case unknown(err):
				continue
			case err != nil:
				return err
			}
			counters = matching(&path.Counter, all)
			multiple = several
		}

		for _, name := range counters {
			one := p
			one.Object = o
			one.Counter = name
			switch {
			case multiple && !p.HasInstance:
				one.HasInstance = true
				one.Instance = "*"
			case !multiple && p.HasInstance && p.Instance == "*":
				one.HasInstance = false
				one.Instance = ""
			}
			if err := q.add(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// unknown reports whether an error only means that a name does not exist.
func unknown(err error) bool {
	for _, target := range []error{winperf.ErrNoObject, winperf.ErrNoCounter, winperf.ErrNoInstance,
		winperf.ErrPath} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// add adds one counter. A missing counter is not an error.
func (q *query) add(p winperf.Path) error {
	c := q.source.calls
	p = q.pathOf(p)
	text := p.String()
	handle, english, err := q.addPath(p)

	// The path of an object without instances may have a wildcard as instance.
	if err != nil && unknown(err) && p.Instance == "*" {
		p.HasInstance = false
		p.Instance = ""
		handle, english, err = q.addPath(p)
	}

	if err != nil {
		if unknown(err) {
			return nil
		}
		return failed("PdhAddCounter", text, err)
	}

	info, err := q.source.counterInfo(handle, text)
	if err != nil {
		_ = c.removeCounter(handle)
		return err
	}

	withRequestedName(&info, p)
	return q.addColumn(p, column{handle: handle, info: info}, english)
}

// addColumn adds the counter of a resolved path, unless the query has it.
func (q *query) addColumn(p winperf.Path, col column, english bool) error {
	c, text := q.source.calls, p.String()
	col.object = q.source.catalog.object(col.info.Object)
	col.entry = q.source.catalog.entry(col.object, &col.info)
	if col.entry == nil {
		_ = c.removeCounter(col.handle)
		return fmt.Errorf("%s: more than %d counters of one object: %w", text, maxEntries, winperf.ErrBadData)
	}

	if english {
		q.source.catalog.nameEnglish(col.object, col.entry, p.Object, p.Counter)
	}
	col.array = p.HasInstance && strings.Contains(p.Instance, "*")
	if slices.ContainsFunc(q.columns, func(other column) bool { return other.same(&col) }) {
		return failed("PdhRemoveCounter", text, c.removeCounter(col.handle))
	}

	if col.entry.typ.Clock() != counter.NoClock {
		if base, err := c.timeBase(col.handle); err == nil {
			col.frequency = base
		}
	}
	q.columns = append(q.columns, col)
	return nil
}

// pathOf returns a path in the form that PDH needs.
func (q *query) pathOf(p winperf.Path) winperf.Path {
	p.Machine = q.source.opt.Machine

	// PDH numbers instances of one name only when it reads values. The path must match all of them.
	if p.Index != 0 {
		p.Instance = strings.TrimSuffix(p.Instance, "*") + "*"
		p.Index = 0
	}

	// * is the only wildcard of PDH.
	p.Instance = strings.ReplaceAll(p.Instance, "?", "*")
	return p
}

// withRequestedName sets names from the path if PDH returned none, as in Wine.
func withRequestedName(info *winapi.CounterInfo, p winperf.Path) {
	if info.Object == "" {
		info.Object = p.Object
		info.HasInstance = p.HasInstance
		info.Instance = p.Instance
	}
	if info.Counter == "" {
		info.Counter = p.Counter
	}
}

// addPath adds a counter by its name in the system's language, or else in English.
func (q *query) addPath(p winperf.Path) (handle uintptr, english bool, err error) {
	c, text := q.source.calls, p.String()
	if handle, err = c.addCounter(q.handle, text); err == nil || !unknown(err) {
		return handle, false, err
	}
	if again, englishErr := c.addEnglish(q.handle, text); englishErr == nil {
		return again, true, nil
	}
	return 0, false, err
}

// counterInfo reads PDH's description of a counter.
func (s *source) counterInfo(handle uintptr, path string) (winapi.CounterInfo, error) {
	b, _, err := array(make(winapi.Memory, 128), func(buf winapi.Memory) (size, count uint32, err error) {
		size, err = s.calls.counterInfo(handle, buf)
		return size, 1, err
	})
	var info winapi.CounterInfo
	if err == nil {
		info, err = b.CounterInfo()
	}
	return info, failed("PdhGetCounterInfo", path, err)
}

// array calls f with larger buffers until they suffice.
func array(buf winapi.Memory, f func(winapi.Memory) (size, count uint32, err error)) (winapi.Memory,
	uint32, error) {
	for range maxGrowth {
		size, count, err := f(buf)
		switch {
		case tooSmall(err):
			size = max(size, uint32(buf.Bytes())) // grow by at least half
			if size > maxBytes {
				return buf, 0, fmt.Errorf("%d bytes are needed, at most %d are accepted: %w", size, maxBytes,
					winperf.ErrBadData)
			}
			buf = make(winapi.Memory, size/8+size/16+8)

		case err != nil:
			return buf, 0, err
		case int64(size) > int64(buf.Bytes()):
			return buf, 0, fmt.Errorf("%d bytes were written to a buffer of %d: %w", size, buf.Bytes(),
				winperf.ErrBadData)
		default:
			return buf, count, nil
		}
	}
	return buf, 0, fmt.Errorf("the buffer was too small %d times in a row: %w", maxGrowth, winperf.ErrBadData)
}
