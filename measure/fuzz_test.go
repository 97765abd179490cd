package measure_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// life is one process of the world that FuzzInstances makes up.
type life struct {
	name       string
	pid, start uint64
	speed      uint64 // hundredths of a second a second
}

// change does to the processes what a byte says.
func change(all []life, born *uint64, b byte) []life {
	*born++
	fresh := life{name: string(rune('a' + b>>3%3)), pid: *born * 4, start: *born, speed: 1 + uint64(b)%90}
	at := 0
	if len(all) > 0 {
		at = int(b>>3) % len(all)
	}
	switch op := b % 8; {
	case op < 3 || len(all) == 0:
		return slices.Insert(all, at, fresh)
	case op == 3:
		return slices.Delete(all, at, at+1)
	case op == 4: // another one of the same name in its place
		fresh.name = all[at].name
		all[at] = fresh
	case op == 5: // and with its id
		fresh.name, fresh.pid = all[at].name, all[at].pid
		all[at] = fresh
	default:
		other := int(op) * 7 % len(all)
		all[at], all[other] = all[other], all[at]
	}
	return all
}

// FuzzInstances lets processes come, go, move and take the place of others as
// the input says, one sample for each run of bytes, and checks every reading
// against what is known of them.
func FuzzInstances(f *testing.F) {
	f.Add([]byte("\x00\x08\x10\xff\xff\x03\xff\x04\xff\x05\xff"))
	f.Add([]byte("\x01\x01\x01\x01\xff\x0b\xff\x16\x0f\xff\x1e\x27\xff\x2c\x35\xff\xff"))
	f.Fuzz(func(t *testing.T, input []byte) {
		var world []life
		var born uint64
		history := [][]life{nil}
		for _, b := range input[:min(len(input), 200)] {
			if b == 0xFF {
				history = append(history, slices.Clone(world))
				continue
			}
			world = change(world, &born, b)
		}
		history = append(history, world)
		src := &scripted{schema: englishSchema, script: func(n int) sample {
			s := processes(int64(n))
			for _, l := range history[n] {
				s.objects[0].instances = append(s.objects[0].instances, proc(l.name, l.pid, l.start, l.speed*uint64(n)))
			}
			return s
		}}
		c := measure.New(src, selection(t, `\Process(*)\% Processor Time`), measure.Options{})
		var before []winperf.Reading
		for n := range history {
			now := cycle(t, c).Readings()
			if len(history[n]) == 0 {
				if len(now) != 1 || now[0].Status == counter.OK {
					t.Fatalf("sample %d: readings %q of no process", n, lines(now))
				}
				before = nil
				continue
			}
			var older []life
			if n > 0 {
				older = history[n-1]
			}
			checkReadings(t, n, history[n], older, now, before)
			before = slices.Clone(now)
		}
	})
}

// checkReadings checks one sample's readings against the processes of it and of
// the sample before.
func checkReadings(t *testing.T, n int, all, older []life, now, before []winperf.Reading) {
	t.Helper()
	if len(now) != len(all) {
		t.Fatalf("sample %d: %d readings of %d processes", n, len(now), len(all))
	}
	seen := map[string]int{}
	for i, l := range all {
		r := now[i]
		path := fmt.Sprintf(`\\HOST\Process(%s)\%% Processor Time`, l.name)
		if k := seen[l.name]; k > 0 {
			path = fmt.Sprintf(`\\HOST\Process(%s#%d)\%% Processor Time`, l.name, k)
		}
		seen[l.name]++
		if r.Series.String() != path {
			t.Fatalf("sample %d: reading %d is of %s, want %s", n, i, r, path)
		}
		was := slices.Index(older, l)
		if want, ok := float64(l.speed), was >= 0; ok {
			if v, _ := r.Value.Float64(); r.Status != counter.OK || v != want {
				t.Fatalf("sample %d: %s is %v (%v), want %v", n, r, r.Value, r.Status, want)
			}
		} else if r.Status != counter.NoPrevious || r.Value != (counter.Value{}) {
			t.Fatalf("sample %d: %s, which is new, is %v (%v)", n, r, r.Value, r.Status)
		}
		same := was >= 0 && before[was].Series.String() == path
		carried := slices.ContainsFunc(before, func(b winperf.Reading) bool { return b.Series == r.Series })
		if same != carried {
			t.Fatalf("sample %d: %s carries an older series: %v, want %v", n, r, carried, same)
		}
	}
}
