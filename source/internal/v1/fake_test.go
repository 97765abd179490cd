package v1

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// answer is what a value gives: bytes of a type, an error, or what do does.
type answer struct {
	typ uint32
	b   []byte
	err error
	do  func(buf []byte, v *Value) error
}

// machine is a fake of the keys. A value that is not there is ERROR_FILE_NOT_FOUND.
type machine struct {
	mu        sync.Mutex
	values    map[string][]answer // by key and value name; the last answer goes on
	languages []string
	langErr   error
	openErrs  []error // of the next calls of Open
	log       []string
	closed    int
}

func (m *machine) keys() Keys {
	return Keys{Open: m.open, Query: m.query, Languages: m.subkeys, Close: m.close}
}

func (m *machine) note(s string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = append(m.log, s)
}

// asked returns what was called since the last time.
func (m *machine) asked() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := strings.Join(m.log, "; ")
	m.log = nil
	return s
}

func (m *machine) open(context.Context) error {
	m.note("open")
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.openErrs) == 0 {
		return nil
	}
	err := m.openErrs[0]
	m.openErrs = m.openErrs[1:]
	return err
}

func (m *machine) subkeys(context.Context) ([]string, error) { return m.languages, m.langErr }

func (m *machine) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed++
	return nil
}

func (m *machine) query(_ context.Context, key Key, name []uint16, buf []byte, v *Value) error {
	at := text(key, string(utf16.Decode(name[:len(name)-1])))
	m.note(at)
	m.mu.Lock()
	list := m.values[at]
	if len(list) > 1 {
		m.values[at] = list[1:]
	}
	m.mu.Unlock()
	if len(list) == 0 {
		return winapi.ERROR_FILE_NOT_FOUND
	}
	return list[0].into(buf, v)
}

func (a answer) into(buf []byte, v *Value) error {
	switch {
	case a.do != nil:
		return a.do(buf, v)
	case a.err != nil:
		return a.err
	case len(a.b) > len(buf):
		*v = Value{Type: 99, Size: 12345} // undefined
		return winapi.ERROR_MORE_DATA
	}
	copy(buf, a.b)
	*v = Value{a.typ, uint32(len(a.b))}
	return nil
}

// text is the form of a value in machine.values and in its log.
func text(key Key, name string) string {
	if key.Root == Data {
		return name
	}
	return strings.TrimPrefix(key.String(), "HKEY_PERFORMANCE_") + " " + name
}

func data(b []byte) []answer { return []answer{{typ: winapi.REG_BINARY, b: b}} }
func number(n uint32) []answer {
	return []answer{{typ: winapi.REG_DWORD, b: binary.LittleEndian.AppendUint32(nil, n)}}
}
func failing(e error) []answer { return []answer{{err: e}} }
func multi(b []byte) []answer  { return []answer{{typ: winapi.REG_MULTI_SZ, b: b}} }
func names(t ...any) []answer  { return multi(table(t...)) }
func answers(a ...[]answer) (l []answer) {
	for _, x := range a {
		l = append(l, x...)
	}
	return l
}

// table returns a name table of index, text, index, text, ...
func table(t ...any) []byte {
	texts := map[uint32]string{}
	for i := 0; i < len(t); i += 2 {
		texts[uint32(t[i].(int))] = t[i+1].(string)
	}
	made, err := nametable.FromMap(nametable.Mixed, texts)
	if err != nil {
		panic(err)
	}
	return made.Encode(nil)
}

// block returns a performance data block with single-instance objects.
func block(titles ...int) []byte {
	var b strings.Builder
	fmt.Fprintln(&b, `block name="M" perftime=1 perffreq=1000 time100ns=1`)
	for _, t := range titles {
		fmt.Fprintf(&b, "object %d form=single\n  counter %d PERF_COUNTER_RAWCOUNT\n  values : %d\n", t, t+2,
			t)
	}
	parsed, err := perfdata.ParseText([]byte(b.String()))
	if err != nil {
		panic(err)
	}
	bytes, err := parsed.Encode()
	if err != nil {
		panic(err)
	}
	return bytes
}

// system is a machine with English and German names, four objects and a costly one.
func system() *machine {
	return &machine{
		languages: []string{"007", "009", "_V2Providers", "CurrentLanguage", "00"},
		values: map[string][]answer{
			"Counter 009": names(1, "1847", 2, "System", 4, "Memory", 6, "% Processor Time", 230,
				"Process", 234, "Process", 238, "Processor", 900, "Costly Thing"),
			"Help 009":             names(3, "The machine.", 5, "Its memory."),
			"Counter 007":          names(2, "System", 4, "Speicher", 230, "Prozess", 238, "Prozessor"),
			"Help 007":             names(3, "Die Maschine."),
			"Global":               data(block(2, 4, 230, 238)),
			"Costly":               data(block(900)),
			"Perflib Last Counter": number(900),
			"Perflib Last Help":    number(901),
		},
	}
}

// start opens a machine, and closes it at the end of the test.
func start(t testing.TB, m *machine, opt Options) *Source {
	t.Helper()
	if opt.Machine == "" {
		opt.Machine = "HOST"
	}
	s, err := Open(t.Context(), m.keys(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// compile compiles a selection of paths.
func compile(t testing.TB, s *Source, sel winperf.Selection, paths ...string) winperf.Query {
	t.Helper()
	for _, text := range paths {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		sel.Paths = append(sel.Paths, p)
	}
	q, err := s.Compile(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
