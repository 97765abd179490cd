package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/perfdata"
)

// checkDriver adds the checks of a driver.
func (r *Report) checkDriver(ctx context.Context, d *driver, opt Options) {
	r.checkBlocks(d)
	if d.global == nil {
		return
	}
	r.checkNames(ctx, d)
	if opt.Keep {
		r.keep(d.global)
	}
}

var errNoTime = errors.New("no time left")

const blocksOf = "blocks of "

// checkedDriver returns the driver that checkBlocks checked, or "".
func checkedDriver(check string) string {
	name, _ := strings.CutPrefix(check, blocksOf)
	return name
}

func (r *Report) checkBlocks(d *driver) {
	if d.blocks.count > 0 {
		detail := fmt.Sprintf("%d encoded to the same %d bytes", d.blocks.count, d.blocks.size)
		r.check(blocksOf+d.name, detail, errors.Join(d.blocks.errs...))
	}
}

// blocks are the blocks of a driver, each decoded and encoded again.
type blocks struct {
	count, size int
	errs        []error
}

// add checks the blocks of a sample. Only the first errors are kept.
func (b *blocks) add(s *winperf.Sample) {
	const most = 10
	for i := range s.Parts {
		part := &s.Parts[i]
		if part.Block == nil || part.Block.Format == winperf.FormatValues {
			continue
		}
		b.count++
		b.size += len(part.Block.Bytes)
		if err := reencode(&part.Block.Raw); err != nil && len(b.errs) < most {
			b.errs = append(b.errs, err)
		}
	}
}

// reencode decodes and encodes a block.
func reencode(raw *winperf.Raw) error {
	var again []byte
	switch raw.Format {
	case winperf.FormatV1:
		// The parsed block refers to its bytes and can change them.
		b, err := perfdata.Parse(bytes.Clone(raw.Bytes), raw.Quirks)
		if err != nil {
			return err
		}
		if again, err = b.Encode(); err != nil {
			return err
		}

	case winperf.FormatV2:
		d, damage, err := counterset.ParseData(raw.Bytes)
		if err = errors.Join(append(damage, err)...); err != nil {
			return err
		}
		if again, err = counterset.AppendData(nil, d); err != nil {
			return err
		}

	default:
		return nil
	}

	if len(again) > len(raw.Bytes) {
		return fmt.Errorf("%d bytes, encoded to %d", len(raw.Bytes), len(again))
	}
	for i := range again {
		if again[i] != raw.Bytes[i] {
			return fmt.Errorf("byte %d of %d is %#02x, encoded to %#02x", i, len(raw.Bytes), raw.Bytes[i], again[i])
		}
	}
	return nil
}

// checkNames checks that objects are found by their names in each language.
func (r *Report) checkNames(ctx context.Context, d *driver) {
	what := "names of " + d.name + " in two languages"
	languages := d.names.Languages()
	if len(languages) < 2 {
		r.skip(what, fmt.Errorf("it has names in %d language: %s", len(languages), strings.Join(languages, ", ")))
		return
	}
	var pool frame.Pool
	f, err := pool.Decode(d.global.sample, frame.Frame{})
	if err != nil {
		r.skip(what, err)
		return
	}

	var errs []error
	found := 0
	for o := range f.Objects() {
		for _, language := range languages[:2] {
			name := d.names.In(language).Title(o.ID().Index)
			err := d.has(ctx, name, o.ID())
			if err != nil && ctx.Err() == nil {
				err = d.has(ctx, name, o.ID()) // a busy provider was missing in one answer
			}
			if ctx.Err() != nil {
				r.skip(fmt.Sprintf("%s, after %d names", what, found), errNoTime)
				return
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s (%s): %w", name, language, err))
			} else {
				found++
			}
		}
	}
	const form = "%d objects found by %d names in %s"
	detail := fmt.Sprintf(form, f.NumObjects(), found, strings.Join(languages[:2], " and "))
	r.check(what, detail, errors.Join(errs...))
}

// has returns an error if the object of a name is not the one with this identity. Objects of the same name
// are all selected.
func (d *driver) has(ctx context.Context, name string, id winperf.ObjectID) error {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	q, err := d.src.Compile(ctx, winperf.Selection{Paths: []winperf.Path{wholeObject(name)}})
	if err != nil {
		return err
	}
	defer q.Close()

	var s winperf.Sample
	if err := q.Next(ctx, &s); err != nil {
		return err
	}
	var pool frame.Pool
	f, err := pool.Decode(&s, frame.Frame{})
	if err != nil {
		return err
	}
	if _, found := f.Find(id); !found {
		return fmt.Errorf("%w: the answer has %d other objects", winperf.ErrNoObject, f.NumObjects())
	}
	return nil
}
