package diagnosis

import (
	"fmt"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
)

// Answer is an answer of a version 1 provider (Microsoft Learn, "CollectPerformanceData").
type Answer struct {
	Data    []byte // the returned bytes, at most the buffer
	Bytes   uint32 // their number, as the provider returned it
	Room    int    // bytes of the buffer
	Moved   int    // bytes by which the provider moved the pointer into the buffer
	Objects uint32 // the number of objects, as the provider returned it
	Overrun bool   // memory outside of the buffer was changed
}

// Check returns the title indices of the objects, and the contradictions in the answer.
func (a Answer) Check() (objects []uint32, lies []string) {
	lie := func(form string, args ...any) { lies = append(lies, fmt.Sprintf(form, args...)) }
	if a.Overrun {
		lie("it wrote outside of the buffer")
	}
	if int64(a.Bytes) > int64(a.Room) {
		lie("it returned %d bytes for a buffer of %d", a.Bytes, a.Room)
	}
	if int64(a.Moved) != int64(a.Bytes) {
		lie("it returned %d bytes, but moved the pointer by %d", a.Bytes, a.Moved)
	}
	if a.Bytes%8 != 0 {
		lie("it returned %d bytes, which is no multiple of 8", a.Bytes)
	}

	block := datablock.AppendHead(nil, &datablock.Head{Clocks: counter.Clocks{PerfFreq: 1}})
	rest := a.Data
	for len(rest) > 0 {
		object, behind, err := datablock.CutObject(rest)
		if err != nil {
			lie("at byte %d of the answer: %v", len(a.Data)-len(rest), err)
			break
		}
		objects = append(objects, object.Title())
		block = append(block, object...)
		rest = behind
	}
	if int64(len(objects)) != int64(a.Objects) {
		lie("it returned %d objects, but their lengths lead to %d", a.Objects, len(objects))
	}

	datablock.FinishBlock(block, len(objects))
	var ix index.Index
	if err := datablock.Decode(block, &ix, datablock.Options{}); err != nil {
		lie("%v", err)
	}
	for _, err := range ix.Damage {
		lie("%v", err)
	}
	return objects, lies
}
