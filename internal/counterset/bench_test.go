package counterset_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/index"
)

// sizes of the reference samples: number of sets, instances of each, counters.
var benchSizes = []struct {
	name                    string
	sets, instances, values int
}{{"small", 10, 20, 12}, {"desktop", 120, 58, 12}, {"huge", 207, 374, 19}}

// reference makes a sample with so many sets, as Windows lays it out.
func reference(b *testing.B, n, instances, values int) ([]byte, []winperf.CounterSet) {
	var infos []*counterset.Info
	var ids []counterset.Identifier
	d := &counterset.Data{Clocks: clocks}
	for s := range n {
		info := &counterset.Info{GUID: winperf.GUID{0: byte(s), 15: 1}, InstanceType: counterset.FlagMultiple}
		a := counterset.Answer{Form: counterset.FullSet}
		for k := range values {
			t := counter.LargeRawCount
			if k%3 == 2 {
				t = counter.RawCount
			}
			info.Counters = append(info.Counters, ctr(uint32(k), t))
			a.Counters = append(a.Counters, uint32(k))
		}
		for i := range instances {
			in := inst(fmt.Sprintf("instance %d of %d", i, s), uint32(i))
			for k := range values {
				v := v8(uint64(s+i) << 20)
				if k%3 == 2 {
					v = v4(uint64(s * i))
				}
				in.Values = append(in.Values, v)
			}
			a.Instances = append(a.Instances, in)
		}
		infos, ids = append(infos, info), append(ids, ask(info.GUID, "*", uint32(s)))
		d.Answers = append(d.Answers, a)
	}
	return sample(b, d, ids...), sets(infos...)
}

// BenchmarkCounterset decodes a sample, with names kept, and reads every value
// through the index; walk does the same by hand, with the same checks.
func BenchmarkCounterset(b *testing.B) {
	for _, size := range benchSizes {
		block, all := reference(b, size.sets, size.instances, size.values)
		wantSum, wantN, err := walk(block)
		if err != nil || wantN != size.sets*size.instances*size.values {
			b.Fatal(wantN, err)
		}
		run := func(name string, f func() (uint64, int, error)) {
			b.Run(name+"/"+size.name, func(b *testing.B) {
				b.SetBytes(int64(len(block)))
				b.ReportAllocs()
				for b.Loop() {
					if sum, n, err := f(); err != nil || sum != wantSum || n != wantN {
						b.Fatalf("%d values, sum %d, want %d, sum %d (%v)", n, sum, wantN, wantSum, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(wantN), "ns/value")
			})
		}
		var ix index.Index
		if err := counterset.Decode(block, all, &ix, counterset.Options{}); err != nil { // warm from now on
			b.Fatal(err)
		}
		names := keep(&ix)
		opt := counterset.Options{Known: names.known, Object: names.object}
		rows := make([]uint64, 1024)
		run("decode", func() (sum uint64, n int, err error) {
			if err = counterset.Decode(block, all, &ix, opt); err != nil || names.changed > 0 {
				return 0, 0, errors.Join(err, fmt.Errorf("%d objects with other names", names.changed))
			}
			sum, n = readAll(&ix, rows)
			return sum, n, nil
		})
		run("walk", func() (uint64, int, error) { return walk(block) })
	}
}

// readAll sums every value, row by row.
func readAll(ix *index.Index, rows []uint64) (sum uint64, n int) {
	for k := range ix.Objects {
		o := &ix.Objects[k]
		width := int(o.CounterEnd - o.Counter0)
		for first := 0; first < int(o.InstanceEnd-o.Instance0); {
			got, _ := ix.ReadRows(rows, k, first)
			for _, v := range rows[:got*width] {
				sum += v
			}
			first, n = first+got, n+got*width
		}
	}
	return sum, n
}

// keeper keeps the names of a sample's instances, as a frame does.
type keeper struct {
	names   []*index.Names // by object
	changed int
}

func keep(ix *index.Index) *keeper {
	k := &keeper{}
	for i := range ix.Objects {
		k.names = append(k.names, namesOf(ix, i))
	}
	return k
}

// namesOf are the names of an object's instances.
func namesOf(ix *index.Index, position int) *index.Names {
	o := &ix.Objects[position]
	names := &index.Names{Single: o.NumInstances < 0}
	for i := o.Instance0; i < o.InstanceEnd; i++ {
		names.Of = append(names.Of, index.HashName(ix.NameBytes(&ix.Instances[i])))
	}
	if o.Link0 >= 0 {
		names.Links = slices.Clone(ix.Links[o.Link0:][:len(names.Of)])
	}
	return names
}

func (k *keeper) known(i int, _, _ uint32) *index.Names { return k.names[i] }

func (k *keeper) object(_ int, same bool) {
	if !same {
		k.changed++
	}
}

var errWalk = errors.New("damaged")

// walk reads every value of a sample of full sets as one would for this purpose
// by hand, with all the checks that the interface asks for.
func walk(b []byte) (sum uint64, n int, err error) {
	le := binary.LittleEndian
	if len(b) < 48 {
		return 0, 0, errWalk
	}
	total, answers := le.Uint32(b), le.Uint32(b[4:])
	if total < 48 || uint64(total) > uint64(len(b)) || answers > (total-48)/16 {
		return 0, 0, errWalk
	}
	b = b[48:total]
	for range answers {
		if len(b) < 16 {
			return 0, 0, errWalk
		}
		status, form, size := le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])
		if status != 0 || form != 6 || size < 16 || uint64(size) > uint64(len(b)) {
			return 0, 0, errWalk
		}
		s, m, err := walkSet(b[16:size])
		if err != nil {
			return 0, 0, err
		}
		sum, n, b = sum+s, n+m, b[size:]
	}
	return sum, n, nil
}

// walkSet reads a PERF_MULTI_COUNTERS and a PERF_MULTI_INSTANCES.
func walkSet(b []byte) (sum uint64, n int, err error) {
	le := binary.LittleEndian
	if len(b) < 8 {
		return 0, 0, errWalk
	}
	size, ids := le.Uint32(b), le.Uint32(b[4:])
	if size < 8 || uint64(size) > uint64(len(b)) || ids > (size-8)/4 {
		return 0, 0, errWalk
	}
	b = b[size:]
	if len(b) < 8 {
		return 0, 0, errWalk
	}
	size, instances := le.Uint32(b), le.Uint32(b[4:])
	if size < 8 || uint64(size) > uint64(len(b)) || instances > (size-8)/8 {
		return 0, 0, errWalk
	}
	b = b[8:size]
	for range instances {
		if len(b) < 8 {
			return 0, 0, errWalk
		}
		size := le.Uint32(b)
		if size < 8 || uint64(size) > uint64(len(b)) || !hasNUL(b[8:size]) {
			return 0, 0, errWalk
		}
		b = b[size:]
		for range ids {
			if len(b) < 8 {
				return 0, 0, errWalk
			}
			bytes, slot := le.Uint32(b), le.Uint32(b[4:])
			if slot < 16 || uint64(slot) > uint64(len(b)) || bytes > slot-8 {
				return 0, 0, errWalk
			}
			switch bytes {
			case 4:
				sum += uint64(le.Uint32(b[8:]))
			case 8:
				sum += le.Uint64(b[8:])
			default:
				return 0, 0, errWalk
			}
			b = b[slot:]
			n++
		}
	}
	return sum, n, nil
}

func hasNUL(b []byte) bool {
	for i := 0; i+2 <= len(b); i += 2 {
		if b[i]|b[i+1] == 0 {
			return true
		}
	}
	return false
}
