package pdhtext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/findings"
)

// damagedLog is a log of three columns and six rows.
func damagedLog() []byte {
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)","\\H\O(a)\c","\\H\O(b)\c","\\H\O\d"` + "\r\n")
	for i := range 6 {
		fmt.Fprintf(&b, "%s,\"%d\",\"%d.25\",\" \"\r\n", at(i), 1000+i, 200+i)
	}
	return []byte(b.String())
}

// rowsOf reads a log as far as it goes: its rows by line, and its damage.
func rowsOf(t *testing.T, log []byte) (map[int64]Row, []error) {
	t.Helper()
	rows := map[int64]Row{}
	r, err := NewReader(bytes.NewReader(log), ReadOptions{Location: time.UTC})
	if err != nil {
		if !errors.Is(err, ErrNoHead) {
			t.Fatal(err)
		}
		return rows, []error{err}
	}
	for {
		var row Row
		err := r.Next(&row)
		if errors.Is(err, io.EOF) {
			return rows, r.Damage()
		}
		if err != nil {
			t.Fatal(err)
		}
		rows[row.Line] = row
	}
}

// same reports whether every value of a row is in the other one.
func (row *Row) valuesIn(other *Row) bool {
	for _, r := range row.readings() {
		found := r.Status != counter.OK
		for _, o := range other.readings() {
			found = found || o.Status == counter.OK && o.Value == r.Value && o.Series.String() == r.Series.String()
		}
		if !found {
			return false
		}
	}
	return row.Time.Equal(other.Time)
}

// A log that is cut off at any byte gives all rows before the cut, no value that
// is not in the whole one, and says so if it ends within a row.
func TestCutAnywhere(t *testing.T) {
	log := damagedLog()
	whole, _ := rowsOf(t, log)
	headEnd := bytes.IndexByte(log, '\n') + 1
	for n := range log {
		rows, damage := rowsOf(t, log[:n])
		if n < headEnd {
			continue // no rows yet
		}
		complete := bytes.Count(log[headEnd:n], []byte("\n"))
		for line := int64(2); line < int64(2+complete); line++ {
			if row := rows[line]; len(row.readings()) != 3 || !row.valuesIn(ptr(whole[line])) {
				t.Errorf("cut at %d: line %d is %v", n, line, row)
			}
		}
		last := rows[int64(2+complete)]
		if len(last.readings()) > 0 && !last.valuesIn(ptr(whole[last.Line])) {
			t.Errorf("cut at %d: the last row is %v", n, last)
		}
		rest := bytes.TrimRight(log[headEnd:n], "\r\n")
		rest = rest[bytes.LastIndexByte(rest, '\n')+1:]
		if within := len(rest) > 0 && bytes.Count(rest, []byte{'"'}) < 8; within != (len(damage) > 0) {
			t.Errorf("cut at %d in a row: %v, damage %v", n, within, damage)
		}
	}
}

// A changed byte in a row costs that row at most.
func TestFlipAnywhere(t *testing.T) {
	log := damagedLog()
	whole, _ := rowsOf(t, log)
	headEnd := bytes.IndexByte(log, '\n') + 1
	for n := headEnd; n < len(log); n++ {
		for _, with := range []byte{log[n] ^ 1, log[n] ^ 0x80, '"', ',', 0, ' ', '('} {
			if log[n] == '\n' {
				continue // makes one line of two
			}
			damaged := bytes.Clone(log)
			damaged[n] = with
			if with == '\n' {
				continue
			}
			line := int64(2 + bytes.Count(log[headEnd:n], []byte("\n")))
			rows, damage := rowsOf(t, damaged)
			for l, want := range whole {
				if got := rows[l]; l != line && (len(got.readings()) != 3 || !got.valuesIn(&want) || !want.valuesIn(&got)) {
					t.Errorf("%q at %d: line %d is %v", with, n, l, got)
				}
			}
			if _, there := rows[line]; !there && len(damage) == 0 {
				t.Errorf("%q at %d: the row is missing without a word", with, n)
			}
			for _, err := range damage {
				if !errors.Is(err, winperf.ErrBadData) {
					t.Errorf("%q at %d: %v", with, n, err)
				}
			}
		}
	}
}

// Much damage is counted, not kept.
func TestDamageIsBounded(t *testing.T) {
	log := head + strings.Repeat("x\"y\n", 10_000) + at(0) + `,"1","2"`
	r, err := NewReader(strings.NewReader(log), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var row Row
	if err := r.Next(&row); err != nil {
		t.Fatal(err)
	}
	damage := r.Damage()
	if len(damage) != findings.Most+1 || damage[findings.Most].Error() != "bad data: 9900 more findings" {
		t.Errorf("%d findings, the last one %v", len(damage), damage[len(damage)-1])
	}
	if again := r.Damage(); len(again) != 0 {
		t.Errorf("told twice: %v", again)
	}
}

func ptr[T any](v T) *T { return &v }
