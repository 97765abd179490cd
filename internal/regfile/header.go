package regfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/provider/registration"
)

// Header is a header for lodctr: the numbers of symbols.
type Header struct {
	file    string
	symbols []headerSymbol // in the order of the file

	gaps  map[int]bool   // positions in symbols with an unreadable symbol before them
	lines map[string]int // line of each symbol, by its name in lower case
}

type headerSymbol struct {
	name   string
	number uint32
	Position
}

// ParseHeader reads a header; file is its name in the findings. Numbers must be even,
// rising by 2 from 0 in the order of the file: an object, its counters, the next object.
// Lines other than #define are ignored. The Header is never nil: it has the readable
// symbols.
func ParseHeader(file string, data []byte) (*Header, Findings) {
	r := rules.NewReport(file)
	h := &Header{file: file, gaps: map[int]bool{}, lines: map[string]int{}}
	comment := false
	for n, line := range lines(decodeText(r, data)) {
		var code string
		code, comment = withoutComments(line, comment)
		h.line(r, n, code)
	}

	if len(h.symbols) == 0 && len(r.Findings) == 0 {
		r.Fault(Position{}, "no #define")
	}
	h.checkNumbers(r)
	return h, r.Sorted()
}

// withoutComments replaces the comments of a line by blanks; inside reports whether an
// earlier comment continues.
func withoutComments(line string, inside bool) (code string, open bool) {
	b := []byte(line)
	for i := 0; i < len(b); i++ {
		rest := line[i:]
		switch {
		case inside && strings.HasPrefix(rest, "*/"):
			b[i] = ' '
			b[i+1] = ' '
			inside = false
			i++
		case inside:
			b[i] = ' '

		case strings.HasPrefix(rest, "//"):
			return string(b[:i]), false
		case strings.HasPrefix(rest, "/*"):
			b[i] = ' '
			b[i+1] = ' '
			inside = true
			i++
		}
	}
	return string(b), inside
}

var define = regexp.MustCompile(`^[ \t]*(#)[ \t]*define(?:[ \t]+|$)(\S*)\s*(.*?)\s*$`)

func (h *Header) line(r *rules.Report, n int, line string) {
	parts := define.FindStringSubmatchIndex(line)
	if parts == nil {
		return
	}
	at := func(part int) Position { return rules.At(n, column(line, parts[2*part])) }
	name, value := line[parts[4]:parts[5]], line[parts[6]:parts[7]]
	switch {
	case name == "":
		r.Fault(at(1), "#define without a name")
		h.gaps[len(h.symbols)] = true
		return
	case value == "":
		return // an include guard
	}

	if msg := rules.SymbolFault(name); msg != "" {
		r.Fault(at(2), "symbol %q %s", name, msg)
		h.gaps[len(h.symbols)] = true
		return
	}

	number, err := strconv.ParseUint(strings.Trim(value, "()"), 0, 32)
	if err != nil {
		r.Fault(at(3), "%s is %q: expected a number", name, strings.Join(strings.Fields(value), " "))
		number = uint64(h.next()) // keep the symbol
	}

	key := strings.ToLower(name) // ASCII letters
	if other, twice := h.lines[key]; twice {
		r.Fault(at(2), "symbol %s is in line %d already", name, other)
		return
	}
	h.lines[key] = n
	h.symbols = append(h.symbols, headerSymbol{name, uint32(number), at(2)})
}

func (h *Header) next() uint32 {
	if len(h.symbols) == 0 {
		return 0
	}
	return h.symbols[len(h.symbols)-1].number + 2
}

// checkNumbers reports numbers that lodctr does not expect.
func (h *Header) checkNumbers(r *rules.Report) {
	taken := map[uint32]string{}
	for i, s := range h.symbols {
		want := uint32(0)
		if i > 0 {
			want = h.symbols[i-1].number + 2
		}
		if h.gaps[i] {
			want = s.number
		}

		switch other, twice := taken[s.number]; {
		case twice:
			r.Fault(s.Position, "%s has number %d, which %s has already", s.name, s.number, other)
		case s.number%2 != 0:
			r.Fault(s.Position, "%s has number %d: names have even numbers, their help texts the next odd "+
				"ones", s.name, s.number)
		case i == 0 && s.number != want:
			r.Fault(s.Position, "%s has number %d: the first is 0", s.name, s.number)
		case s.number != want && h.symbols[max(i-1, 0)].number%2 == 0:
			r.Fault(s.Position, "%s has number %d: after %s comes %d", s.name, s.number,
				h.symbols[i-1].name, want)
		}
		taken[s.number] = s.name
	}
}

// WriteHeader returns the header of a schema: a #define for each object and counter, from 0
// in steps of 2. The schema must pass [Declaration.Check].
func WriteHeader(s *registration.Declaration) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "// Numbers of the objects and counters of %s, for lodctr and for the provider.\n",
		s.Driver)
	fmt.Fprintf(&b, "// A title index is First Counter + number, and of a help text First Help + number.\n")
	for i, t := range titlesOf(s) {
		if t.object {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "#define %s %d\n", t.symbol, 2*i)
	}
	return []byte(strings.ReplaceAll(b.String(), "\n", "\r\n"))
}
