package usage

import (
	"runtime"
	"testing"
)

func TestProcessorGrows(t *testing.T) {
	was, ok := Processor()
	if !ok {
		t.Skip("the system is not asked")
	}
	for n := 1; ; n++ { // until it is seen: some systems count in ticks of 15 ms
		now, ok := Processor()
		if !ok || now < was {
			t.Fatalf("processor time %v, %v after %v", now, ok, was)
		}
		if now > was {
			return
		}
		if n > 1<<30 {
			t.Fatal("the processor time stands still")
		}
	}
}

var kept []byte

func TestHeap(t *testing.T) {
	var m Meter
	objects, bytes := m.Heap()
	kept = make([]byte, 1<<20)
	runtime.KeepAlive(kept)
	now, nowBytes := m.Heap()
	if now <= objects || nowBytes < bytes+1<<20 {
		t.Errorf("%d objects of %d bytes, then %d of %d after one of 1 MiB", objects, bytes, now, nowBytes)
	}
	if n := testing.AllocsPerRun(10, func() { m.Heap() }); n != 0 {
		t.Errorf("%v allocations to read them", n)
	}
}
