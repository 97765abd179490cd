package frame_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/winperf/winperf/frame"
)

// threadsOf is a sample of processes with 30 threads each.
func threadsOf(processes ...string) string {
	var b strings.Builder
	b.WriteString(at0 + "object 232\n counter 804 PERF_COUNTER_RAWCOUNT\n")
	for i := range processes {
		for n := range 30 {
			fmt.Fprintf(&b, " instance \"%d\" parent=230 position=%d : 1\n", n, i)
		}
	}
	b.WriteString("object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n")
	for i, p := range processes {
		fmt.Fprintf(&b, " instance \"%s\" : %d\n", p, i)
	}
	return b.String()
}

// TestNamesGoOn shows that instances that stay share the memory of their full names
// from sample to sample, behind many that left and others that came.
func TestNamesGoOn(t *testing.T) {
	var pool frame.Pool
	prev := frame.Frame{}
	before := map[string]*byte{}
	for n, processes := range [][]string{{"A", "B", "C"}, {"A", "C"}, {"A", "New", "C", "Newer"}, {"C", "Newer"}} {
		f := take(t, &pool, block(t, threadsOf(processes...)), prev)
		l, now := f.Object(0).Labels(), map[string]*byte{}
		for i := range l.Len() {
			now[l.Full(i)] = unsafe.StringData(l.Full(i))
		}
		for i, p := range processes {
			for thread := range 30 {
				name := fmt.Sprintf("%s/%d", p, thread)
				if got := l.Full(30*i + thread); got != name {
					t.Errorf("sample %d: instance %d is %q, want %q", n, 30*i+thread, got, name)
				}
				if was := before[name]; was != nil && now[name] != was {
					t.Errorf("sample %d: the name %q has other memory", n, name)
				}
			}
		}
		before, prev = now, f
	}
}

// TestNamesKept: instances are the same series as long as they have their full name and their number
// among equal ones.
func TestNamesKept(t *testing.T) {
	var pool frame.Pool
	labels := func(names ...string) *frame.Labels {
		text := at0 + "object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n"
		for _, name := range names {
			text += fmt.Sprintf(" instance %q : 1\n", name)
		}
		return take(t, &pool, block(t, text), frame.Frame{}).Object(0).Labels()
	}

	older := labels("a", "b", "b", "c")
	for i, alone := range []bool{true, false, false, true} {
		if older.Alone(i) != alone {
			t.Errorf("instance %d alone: %v", i, older.Alone(i))
		}
	}
	newer := labels("b", "a", "b", "d", "e", "a")
	for _, tt := range []struct {
		now      *frame.Labels
		at, want []int32
	}{
		{newer, []int32{1, 0, 2, 3, -1, 9}, []int32{1, 0, 2, -1, -1, -1}},
		{newer, []int32{2, 1, 1, -1, -1, 0}, []int32{-1, -1, -1, -1, -1, -1}}, // b is the second one, a is b
		{older, []int32{0, 2, 1, 3}, []int32{0, -1, -1, 3}},
	} {
		got := slices.Clone(tt.at)
		tt.now.Keep(older, got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("at %v kept %v, want %v", tt.at, got, tt.want)
		}
	}
}

// TestNamesEnd shows that labels do not keep those before alive.
func TestNamesEnd(t *testing.T) {
	for name, used := range map[string]bool{"full names are used": true, "they are not": false} {
		t.Run(name, func(t *testing.T) {
			var pool frame.Pool
			var ended atomic.Int32
			prev := frame.Frame{}
			const samples = 20
			for n := range samples {
				f := take(t, &pool, block(t, threadsOf("A", fmt.Sprint("B", n))), prev)
				l := f.Object(0).Labels()
				if used {
					l.Full(0)
				}
				runtime.SetFinalizer(l, func(*frame.Labels) { ended.Add(1) })
				prev = f
			}
			for begin := time.Now(); ended.Load() < samples-5; runtime.GC() {
				if time.Since(begin) > 5*time.Minute {
					t.Fatalf("%d of %d labels ended", ended.Load(), samples)
				}
				time.Sleep(time.Millisecond)
			}
			runtime.KeepAlive(prev)
		})
	}
}

// TestNumbersGoOn compares the numbers of equal names, which go on from sample to sample,
// with plain counting: names come, leave, move and are spelled otherwise, and nobody asks
// for those of every sample.
func TestNumbersGoOn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	spelled := []string{"a", "A", "b", "B", "ä", "Ä", "c/d", "C/D", "e#1", "f"}
	var names []string
	for range 40 {
		names = append(names, spelled[r.IntN(len(spelled))])
	}
	var pool frame.Pool
	prev := frame.Frame{}
	for sample := range 200 {
		switch i := r.IntN(len(names)); r.IntN(5) {
		case 0:
			names[i] = spelled[r.IntN(len(spelled))]
		case 1:
			names = append(names, spelled[r.IntN(len(spelled))], fmt.Sprint("n", sample))
		case 2:
			if len(names) > 20 {
				names = slices.Delete(names, i, i+1)
			}
		case 3:
			names[0], names[i] = names[i], names[0]
		}
		var b strings.Builder
		b.WriteString(at0 + "object 2000\n counter 2 PERF_COUNTER_RAWCOUNT\n")
		for _, name := range names {
			fmt.Fprintf(&b, " instance %q : 1\n", name)
		}
		f := take(t, &pool, block(t, b.String()), prev)
		prev = f
		if r.IntN(3) == 0 {
			continue
		}

		count := map[string]int{}
		for i, l := 0, f.Object(0).Labels(); i < l.Len(); i++ {
			key := strings.ToLower(names[i])
			if l.Full(i) != names[i] || l.Occurrence(i) != count[key] {
				t.Fatalf("sample %d, instance %d: %q number %d, want %q %d",
					sample, i, l.Full(i), l.Occurrence(i), names[i], count[key])
			}
			count[key]++
		}
	}
}
