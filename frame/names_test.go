package frame_test

import (
	"fmt"
	"runtime"
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
				prev.Release()
				prev = f
			}
			for begin := time.Now(); ended.Load() < samples-5; runtime.GC() {
				if time.Since(begin) > 10*time.Second {
					t.Fatalf("%d of %d labels ended", ended.Load(), samples)
				}
				time.Sleep(time.Millisecond)
			}
			runtime.KeepAlive(prev)
		})
	}
}
