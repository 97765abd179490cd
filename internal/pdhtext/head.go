package pdhtext

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/internal/zone"
)

// Head is the first line of a text log: its form, the zone of its time stamps and its
// columns.
type Head struct {
	Format  Format
	Version string // "4.0"
	// Dialect is Log if the head has a time zone, else Typeperf.
	Dialect Dialect
	// Zone is the time zone's display name, localized, and cut if long. It is empty if the
	// head has none, or only a reference to an unknown name.
	Zone string
	// Bias is UTC minus local time when the log began. BiasKnown reports whether the head
	// has it.
	Bias      time.Duration
	BiasKnown bool
	// CodePage is the code page of the text. Guessed reports that neither the file nor the
	// options named it.
	CodePage uint32
	Guessed  bool
	// Columns are the series of the columns behind the time stamp; nil for a column whose
	// head is no counter path. Two columns of the same path are two series. A path of the
	// previous head keeps its Series.
	Columns []*winperf.Series
	// Caption is the user string behind the last column.
	Caption string
	// Noise is the number of console messages among the lines read.
	Noise int

	Line   int64 // line number, from 1
	Offset int64 // of its first byte

	location  *time.Location
	fixed     bool // without clock changes
	separator byte
	quoted    bool
	cut       bool // the head has too many columns
	unread    bool // the column of the caption has numbers, which was reported
	length    int  // of the line, in bytes
}

// Location returns the zone of the time stamps: of the options, else of the head's bias,
// else UTC. It never depends on this machine.
func (h *Head) Location() *time.Location { return h.location }

// textColumn is a wanted column.
type textColumn struct {
	column  int  // behind the time stamp, from 0
	numbers bool // it has had a number

	notation notation
}

// maxPreface limits the text before the head, in bytes.
const maxPreface = 64 << 10

// findHead reads up to the head.
func (t *Reader) findHead() error {
	noise := 0
	for t.lines.offset < maxPreface {
		line, err := t.line()
		if err != nil {
			return noHead(err)
		}

		if t.isHead(line) {
			t.setHead(line)
			t.head.Noise = noise
			return nil
		}

		if len(trimBlanks(line)) > 0 {
			noise++
		}
	}
	return fmt.Errorf("%w: %w in the first %d bytes", winperf.ErrBadData, ErrNoHead, t.lines.offset)
}

func noHead(err error) error {
	if isEnd(err) {
		return fmt.Errorf("%w: %w", winperf.ErrBadData, ErrNoHead)
	}
	return err
}

// headReach limits the distance of a head's mark from the beginning of the line.
const headReach = 32

var headMarks = [...]string{CSV: "(PDH-CSV ", TSV: "(PDH-TSV "}

func headFormat(field []byte) (f Format, ok bool) {
	field = bytes.TrimPrefix(trimBlanks(field), []byte{'"'})
	for i, mark := range headMarks {
		if len(field) >= len(mark) && strings.EqualFold(string(field[:len(mark)]), mark) {
			return Format(i), true
		}
	}
	return 0, false
}

func (t *Reader) isHead(line []byte) bool {
	line = line[:min(len(line), headReach)]
	if bytes.IndexByte(line, '(') < 0 {
		return false
	}
	_, is := headFormat(line)
	return is
}

// setHead makes line the head of the following rows.
func (t *Reader) setHead(line []byte) {
	h := &Head{Line: t.lines.number, Offset: t.lines.start}
	if t.head == nil {
		h.CodePage, h.Guessed = detectCodePage(line, t.opt.CodePage)
	} else {
		h.CodePage, h.Guessed, h.Noise = t.head.CodePage, t.head.Guessed, t.head.Noise
	}

	h.Format, _ = headFormat(line)
	h.length = len(line)
	h.quoted = trimBlanks(line)[0] == '"'
	h.separator = findSeparator(line, h.Format)
	t.fields.begin(line, h.separator)
	first, _ := t.fields.next()
	h.readZone(h.text(first))
	h.setLocation(t.opt.Location)
	before := t.head
	if before == nil {
		before = t.opt.Known
	}
	t.head, t.selected, t.series, t.rows = h, nil, nil, 0

	// A line has at most one field more than separators.
	most := min(bytes.Count(line, []byte{h.separator}), t.opt.maxColumns)
	h.Columns = make([]*winperf.Series, 0, most)
	if t.opt.Select == nil {
		t.selected, t.series = make([]textColumn, 0, most), make([]*winperf.Series, 0, most)
	}
	t.readColumns(before)
}

func (h *Head) setLocation(given *time.Location) {
	switch {
	case given != nil:
		h.location = given
	case h.BiasKnown:
		name := h.Zone
		if name == "" {
			name = zone.Hours(int(h.Bias / time.Minute))
		}
		h.location, h.fixed = time.FixedZone(name, -int(h.Bias/time.Second)), true
	default:
		h.location = time.UTC
	}
}

// findSeparator returns the separator behind the head's first field, which spreadsheet
// programs may have changed, or the format's.
func findSeparator(line []byte, f Format) byte {
	end := bytes.IndexByte(line, '"')
	if end >= 0 {
		end = bytes.IndexByte(line[end+1:], '"') + end + 2
	} else {
		end = bytes.IndexAny(line, ",;\t")
	}
	if end > 0 && end < len(line) && bytes.IndexByte([]byte(",;\t"), line[end]) >= 0 {
		return line[end]
	}
	return separators[f]
}

// text decodes a field.
func (h *Head) text(b []byte) string {
	odd := func(c byte) bool { return c == 0 || c >= utf8.RuneSelf }
	if !slices.ContainsFunc(b, odd) {
		return string(b) // the same in every code page
	}
	return wire.Text(b, h.CodePage)
}

// readZone reads the first field: (PDH-CSV 4.0) (zone)(bias). A zone that is cut has no
// bias.
func (h *Head) readZone(field string) {
	version, rest, _ := strings.Cut(field, ")")
	h.Version = strings.TrimSpace(version[min(len(version), len(headMarks[h.Format])):])
	rest = strings.TrimSpace(rest)
	if rest == "" {
		h.Dialect = Typeperf
		return
	}

	if open := strings.LastIndexByte(rest, '('); open > 0 && strings.HasSuffix(rest, ")") {
		minutes, err := strconv.Atoi(rest[open+1 : len(rest)-1])
		const day = 24 * 60
		if err == nil && -day < minutes && minutes < day {
			h.Bias, h.BiasKnown = time.Duration(minutes)*time.Minute, true
			rest = strings.TrimSuffix(strings.TrimSpace(rest[:open]), ")")
		}
	}
	h.Zone = strings.TrimPrefix(rest, "(")
	if h.BiasKnown {
		h.Zone = zone.Named(h.Zone, int(h.Bias/time.Minute))
	}
}

func (t *Reader) readColumns(before *Head) {
	var known knownSeries
	if before != nil {
		known.columns = before.Columns
	}

	for n := 0; ; n++ {
		field, state := t.fields.next()
		if state == fieldNone {
			break
		}

		if state != fieldComplete || t.cutOff() {
			t.fail(n+firstField, "the head is cut off or its quotes are damaged; "+
				"the columns from here on are skipped")
			break
		}

		if n == t.opt.maxColumns {
			t.head.cut = true
			t.fail(n+firstField, "more than %d columns; those from here on are skipped", n)
			break
		}
		t.addColumn(t.head.text(field), &known)
	}
}

// cutOff reports whether the last field may be incomplete: the log ends with it and it has
// no quotes.
func (t *Reader) cutOff() bool { return !t.lines.ended && t.fields.bare && !t.fields.more }

func (t *Reader) addColumn(field string, known *knownSeries) {
	h := t.head
	n := len(h.Columns)
	s := known.at(n, field)
	if s == nil {
		path, err := winperf.ParsePath(strings.TrimSpace(field))
		if err != nil {
			if !t.fields.more && !strings.HasPrefix(field, `\`) {
				h.Caption = field
				return
			}
			t.fail(n+firstField, "%v; the column is skipped", err)
			h.Columns = append(h.Columns, nil)
			return
		}
		s = known.like(n, winperf.NewSeries(path))
	}

	h.Columns = append(h.Columns, s)
	if t.opt.Select == nil || t.opt.Select(s) {
		t.selected, t.series = append(t.selected, textColumn{column: n}), append(t.series, s)
	}
}

// Selected returns the series of the selected columns. They must not be changed.
func (t *Reader) Selected() []*winperf.Series { return t.series }

// knownSeries are the series of the previous head. Nearly always the columns are the same;
// after a difference, series are found by path.
type knownSeries struct {
	columns []*winperf.Series
	byPath  map[string][]*winperf.Series // nil until a column differs
}

// at returns the series of column n if it has the path, else nil.
func (k *knownSeries) at(n int, path string) *winperf.Series {
	if k.byPath != nil || n >= len(k.columns) || k.columns[n] == nil || k.columns[n].String() != path {
		return nil
	}
	return k.columns[n]
}

// like returns a known series with the path of s, which is in column n, or s.
func (k *knownSeries) like(n int, s *winperf.Series) *winperf.Series {
	switch {
	case k.byPath != nil:
	case n >= len(k.columns):
		return s
	case k.at(n, s.String()) != nil:
		return k.columns[n]
	default:
		k.byPath = map[string][]*winperf.Series{}
		for _, other := range k.columns[n:] {
			if other != nil {
				k.byPath[other.String()] = append(k.byPath[other.String()], other)
			}
		}
	}

	same := k.byPath[s.String()]
	if len(same) == 0 {
		return s
	}
	k.byPath[s.String()] = same[1:]
	return same[0]
}
