package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// fake is a source of Processor, Memory and, costly, Details. Sample n, from 0, has processor
// times of n+1 seconds.
type fake struct {
	t        testing.TB
	recorded int    // samples, where it is a record
	machine  string // "" is HOST

	mu     sync.Mutex
	taken  int // of all queries
	closed bool
	// before, if not nil, is called by each Next: it may wait, and its error is that of Next.
	before func(ctx context.Context, n int, sel winperf.Selection) error
	// without are objects that samples do not have.
	without string
	// text, if not nil, is sample n of main or costly objects; titles are its names.
	text   func(n int, costly bool) string
	titles map[uint32]string
	german map[uint32]string // if not nil, names in a second language
	block  []byte            // if not nil, every sample
	shown  []winperf.Reading // if not nil, the displayable values of every sample
	late   error             // of a provider whose objects samples lack
}

const threadTitle = 232

var fakeNames = map[uint32]string{
	2: "System", 4: "Memory", 6: "% Processor Time", 24: "Available Bytes", 148: "Interrupts/sec",
	232: "Details", 238: "Processor", 804: "ID Thread", 1382: "Available MBytes",
}

func (s *fake) Describe() winperf.Description {
	return winperf.Description{Machine: cmp.Or(s.machine, "HOST"), Recorded: s.recorded > 0, Samples: s.recorded}
}

func (s *fake) Schema(context.Context) (*winperf.Schema, error) {
	titles := fakeNames
	if s.titles != nil {
		titles = s.titles
	}
	names, err := nametable.FromMap(nametable.Counter, titles)
	schema := &winperf.Schema{
		Names:  []winperf.NameTable{{Language: "009", Counter: names.Encode(nil)}},
		Costly: []uint32{threadTitle}, Interface: "fake",
	}
	if err == nil && s.german != nil {
		names, err = nametable.FromMap(nametable.Counter, s.german)
		schema.Names = append(schema.Names, winperf.NameTable{Language: "007", Counter: names.Encode(nil)})
	}
	return schema, err
}

func (s *fake) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *fake) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	schema, err := s.Schema(ctx)
	return &fakeQuery{fake: s, sel: sel, schema: schema}, err
}

type fakeQuery struct {
	*fake
	sel    winperf.Selection
	schema *winperf.Schema
	n      int
}

func (q *fakeQuery) Close() error { return nil }

func (q *fakeQuery) Next(ctx context.Context, s *winperf.Sample) error {
	q.mu.Lock()
	n, before := q.n, q.before
	q.n++
	q.taken++
	q.mu.Unlock()
	if q.recorded > 0 && n >= q.recorded {
		s.Clear()
		return io.EOF
	}
	if before != nil {
		if err := before(ctx, n, q.sel); err != nil {
			s.Clear()
			return err
		}
	}
	q.mu.Lock()
	without, late := q.without, q.late
	q.mu.Unlock()
	if q.shown != nil {
		perftest.ShowValues(s, time.Date(2026, 1, 2, 15, 4, 5+n, 0, time.UTC), q.shown)
		return nil
	}
	err := perftest.Fill(s, func(raw *winperf.Raw) error {
		raw.Format, raw.Schema = winperf.FormatV1, q.schema
		var err error
		switch {
		case q.block != nil:
			raw.Bytes = append(raw.Bytes[:0], q.block...)
		case q.text != nil:
			raw.Bytes, err = encode(q.text(n, q.sel.Costly))
		default:
			raw.Bytes, err = encode(blockText(n, q.wants, without))
		}
		return err
	})
	if err == nil {
		s.Parts[0].Err = late
	}
	return err
}

// wants reports whether the query wants an object.
func (q *fakeQuery) wants(name string) bool {
	if q.sel.Costly && name == "Details" || q.sel.Global && name != "Details" {
		return true
	}
	for _, p := range q.sel.Paths {
		asked := winperf.CompilePattern(p.Object)
		for title, german := range q.german {
			if asked.Match(german) && fakeNames[title] == name {
				return true
			}
		}
		if asked.Match(name) {
			return true
		}
	}
	return false
}

// blockText is sample n.
func blockText(n int, wants func(string) bool, without string) string {
	const second = 10_000_000
	at := winperf.ToFiletime(time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)) + int64(n)*second
	var b strings.Builder
	fmt.Fprintf(&b, "block name=\"HOST\" perftime=%d perffreq=10000000 time100ns=%d\n", (n+1)*second, at)
	if wants("Processor") && without != "Processor" {
		fmt.Fprintf(&b, "object 238\n  counter 6 PERF_100NSEC_TIMER\n  counter 148 PERF_COUNTER_COUNTER\n")
		for cpu := range 2 {
			fmt.Fprintf(&b, "  instance \"%d\" : %d %d\n", cpu, (n+1)*second, 1000*cpu+n)
		}
	}
	if wants("Memory") && without != "Memory" {
		fmt.Fprintf(&b, "object 4 form=single\n  counter 24 PERF_COUNTER_LARGE_RAWCOUNT\n  values : %d\n", 4096+n)
	}
	if wants("Details") && without != "Details" {
		fmt.Fprintf(&b, "object 232\n  counter 24 PERF_COUNTER_LARGE_RAWCOUNT\n  instance \"t\" : %d\n", 7000+n)
	}
	return b.String()
}

func encode(text string) ([]byte, error) {
	block, err := perfdata.ParseText([]byte(text))
	if err != nil {
		return nil, err
	}
	return block.Encode()
}

// samples is how many samples were taken.
func (s *fake) samples() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// set changes the source between samples.
func (s *fake) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}
