package perftest

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf/counter"
)

// ErrWalk reports that the block is damaged.
var ErrWalk = errors.New("damaged block")

// field is the position of a value in a counter block.
type field struct{ off, size uint32 }

// Walker reads values as [Walk] does and reuses its memory for the next block.
type Walker struct {
	fields []field // fields of the current object
	need   uint64  // length that its counter blocks need
	freq   int64   // PerfFreq
	sum    uint64
	n      int
}

// Walk reads every value of a block once, with the checks of a decoder, and returns their sum and
// number. It stores nothing and stops at the first damage, as a hand-written reader for one purpose
// would.
func Walk(b []byte) (sum uint64, n int, err error) { return new(Walker).Walk(b) }

// Walk is [Walk].
func (w *Walker) Walk(b []byte) (sum uint64, n int, err error) {
	if len(b) < 88 || le.Uint64(b) != 0x46005200450050 || le.Uint32(b[8:]) != 1 || le.Uint32(b[12:]) != 1 {
		return 0, 0, fmt.Errorf("%w: header", ErrWalk)
	}
	total, pos, objects := le.Uint32(b[20:]), le.Uint32(b[24:]), le.Uint32(b[28:])
	if total < 88 || uint64(total) > uint64(len(b)) || pos < 88 || pos > total || objects > (total-pos)/64 {
		return 0, 0, fmt.Errorf("%w: header lengths", ErrWalk)
	}

	*w = Walker{fields: w.fields, freq: int64(le.Uint64(b[64:]))}
	for range objects {
		if total-pos < 64 {
			return 0, 0, fmt.Errorf("%w: object at %d", ErrWalk, pos)
		}
		length := le.Uint32(b[pos:])
		if length < 64 || length > total-pos {
			return 0, 0, fmt.Errorf("%w: length of object at %d", ErrWalk, pos)
		}
		if err := w.object(b[pos : pos+length]); err != nil {
			return 0, 0, fmt.Errorf("object at %d: %w", pos, err)
		}
		pos += length
	}
	return w.sum, w.n, nil
}

// object walks one object.
func (w *Walker) object(o []byte) error {
	length := uint32(len(o))
	def, header := le.Uint32(o[4:]), le.Uint32(o[8:])
	counters, instances := le.Uint32(o[32:]), int32(le.Uint32(o[40:]))
	if header < 64 || header > def || def > length || counters > (def-header)/40 {
		return fmt.Errorf("%w: definitions", ErrWalk)
	}
	if instances < -3 || int64(instances) > int64((length-def)/28) {
		return fmt.Errorf("%w: number of instances", ErrWalk)
	}
	if err := w.definitions(o[header:def], counters, o); err != nil {
		return err
	}

	if instances == -1 {
		_, err := w.block(o, def)
		return err
	}

	unicode := le.Uint32(o[44:]) == 0
	for pos := def; instances > 0; instances-- {
		if length-pos < 24 {
			return fmt.Errorf("%w: instance at %d", ErrWalk, pos)
		}
		in := o[pos:][:24]
		size, nameOff, nameLen := le.Uint32(in), le.Uint32(in[16:]), le.Uint32(in[20:])
		if size < 24 || size > length-pos {
			return fmt.Errorf("%w: length of instance at %d", ErrWalk, pos)
		}
		outside := nameOff < 24 || nameOff > size || nameLen > size-nameOff
		if nameLen != 0 && (outside || unicode && nameLen%2 != 0) {
			return fmt.Errorf("%w: name of instance at %d", ErrWalk, pos)
		}

		next, err := w.block(o, pos+size)
		if err != nil {
			return err
		}
		pos = next
	}
	return nil
}

// definitions stores the positions of the values.
func (w *Walker) definitions(b []byte, counters uint32, o []byte) error {
	w.fields, w.need = w.fields[:0], 0
	needsBase := counter.Type(0)
	for range counters {
		if len(b) < 40 {
			return fmt.Errorf("%w: counter definition", ErrWalk)
		}
		length := le.Uint32(b)
		if length < 40 || uint64(length) > uint64(len(b)) {
			return fmt.Errorf("%w: length of counter definition", ErrWalk)
		}

		typ, f := counter.Type(le.Uint32(b[28:])), field{le.Uint32(b[36:]), le.Uint32(b[32:])}
		if needsBase != 0 {
			if ok, _ := needsBase.AcceptsBase(typ); !ok {
				return fmt.Errorf("%w: no base for %v", ErrWalk, needsBase)
			}
			needsBase = 0
		}

		if typ.NeedsBase() {
			needsBase = typ
		}
		if w.freq <= 0 && needsTickFreq(typ) ||
			typ == counter.ElapsedTime && int64(le.Uint64(o[56:])) <= 0 {
			return fmt.Errorf("%w: no frequency for %v", ErrWalk, typ)
		}

		if f.size == 4 || f.size == 8 {
			if f.off < 4 {
				return fmt.Errorf("%w: offset of value", ErrWalk)
			}
			w.need = max(w.need, uint64(f.off)+uint64(f.size))
			w.fields = append(w.fields, f)
		} else if f.size != 0 && !typ.IsText() {
			return fmt.Errorf("%w: size of value", ErrWalk)
		}
		b = b[length:]
	}

	if needsBase != 0 {
		return fmt.Errorf("%w: no base for %v", ErrWalk, needsBase)
	}
	return nil
}

func needsTickFreq(typ counter.Type) bool {
	info, _ := typ.Info()
	return info.Clock == counter.TickClock && info.NeedsFrequency()
}

// block reads the values of the counter block at pos and returns its end.
func (w *Walker) block(o []byte, pos uint32) (end uint32, err error) {
	left := uint32(len(o)) - pos
	if left < 4 {
		return 0, fmt.Errorf("%w: counter block at %d", ErrWalk, pos)
	}

	length := le.Uint32(o[pos:])
	if length < 4 || length > left || uint64(length) < w.need {
		return 0, fmt.Errorf("%w: length of counter block at %d", ErrWalk, pos)
	}

	block := o[pos : pos+length]
	sum := uint64(0)
	for _, f := range w.fields {
		if f.size == 8 {
			sum += le.Uint64(block[f.off:])
		} else {
			sum += uint64(le.Uint32(block[f.off:]))
		}
	}

	w.sum += sum
	w.n += len(w.fields)
	return pos + length, nil
}
