package v1

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/nametable"
)

// known is the cached knowledge about the machine. It is immutable.
type known struct {
	schema   *winperf.Schema
	names    *nametable.Names
	stamp    stamp
	metadata bool // the machine answers queries for definitions only
}

// stamp holds the highest indices in use, which lodctr and unlodctr write. It changes when counters
// are installed or removed.
type stamp struct{ lastCounter, lastHelp uint32 }

// refresh returns the cached knowledge, and reads it again if the stamp has changed. It runs on the
// line.
func (s *Source) refresh(ctx context.Context) (*known, error) {
	old := s.known.Load()
	now, err := s.readStamp(ctx)
	if old != nil && (err != nil || now == old.stamp) {
		return old, nil // without a stamp the first result is kept
	}

	t := tables{reader: &s.reader, ctx: ctx, user: s.opt.Language}
	k := &known{stamp: now, schema: &winperf.Schema{Interface: s.opt.Interface, Names: t.readAll()}}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	k.schema.Damage = t.damage
	if supports, err := s.number(ctx, "Supports Metadata"); err == nil {
		k.metadata = supports != 0
	}

	k.names, _ = nametable.FromSchema(k.schema) // readers of the schema get its damage
	if old != nil {
		k.schema.Costly = old.schema.Costly
	}
	s.known.Store(k)
	return k, nil
}

func (s *Source) readStamp(ctx context.Context) (stamp, error) {
	var now stamp
	var err, err2 error
	now.lastCounter, err = s.number(ctx, "Last Counter")
	now.lastHelp, err2 = s.number(ctx, "Last Help")
	return now, errors.Join(err, err2)
}

// number reads a number of the Perflib key, 0 if it does not exist.
func (s *Source) number(ctx context.Context, name string) (uint32, error) {
	q := request{key: Key{Root: Perflib}, name: wire.Units(name), typ: winapi.REG_DWORD, size: 64}
	b, err := s.reader.read(ctx, &q, nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case len(b) != 4:
		return 0, valueError(q.key, q.name, fmt.Errorf("the value has %d bytes, expected 4: %w", len(b),
			winperf.ErrBadData))
	}
	return binary.LittleEndian.Uint32(b), nil
}

// global returns the title indices of the objects that are not costly. If one of them hides others,
// it finds all one by one.
func (s *Source) global(ctx context.Context, k *known) ([]uint32, error) {
	titles, err := s.class(ctx, k, "Global")
	if errors.Is(err, winperf.ErrBadData) {
		if sifted := s.sift(ctx, nil); sifted != nil {
			return sifted.all(), nil
		}
		if len(titles) > 0 {
			return titles, nil
		}
	}
	return titles, err
}

// class queries a class of objects and returns their title indices. For a damaged block it returns
// the objects before the damage, and the error.
func (s *Source) class(ctx context.Context, k *known, class string) ([]uint32, error) {
	if k.metadata {
		class = "Metadata" + class
	}
	q := request{name: wire.Units(s.valueName(class)), typ: winapi.REG_BINARY, size: startClass}
	b, err := s.reader.read(ctx, &q, nil)
	if err != nil {
		return nil, err
	}

	titles, _, _ := chained(nil, b) // with damaged objects, so that samples report their damage
	if err := datablock.Decode(b, new(index.Index), datablock.Options{}); err != nil {
		return titles, valueError(q.key, q.name, err)
	}
	return titles, nil
}

// readCostly queries the costly objects.
func (s *Source) readCostly(ctx context.Context, k *known) (*known, error) {
	costly, err := s.class(ctx, k, "Costly")
	if err != nil && !errors.Is(err, winperf.ErrBadData) { // samples report damage
		return nil, err
	}
	schema, with := *k.schema, *k
	schema.Costly, with.schema = append([]uint32{}, costly...), &schema // never nil: known to be none
	s.known.Store(&with)
	return &with, nil
}
