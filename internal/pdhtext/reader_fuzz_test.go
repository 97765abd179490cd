package pdhtext

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// FuzzRead reads anything. Whatever it is, reading ends, every row has one
// reading for each column that there is, chunks make no difference, no number
// is infinite, and what is read can be written and read again as the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(head + at(0) + `,"1"," "` + "\r\n" + at(1) + `,"2.5","x""y"` + "\r\nExiting, please wait...\r\n"))
	f.Add([]byte(head + at(0) + ",\"1\n" + head + at(1) + `,"1e999","-1","z"`))
	f.Add([]byte("(PDH-CSV 4.0) (RTZ 2 (;\\\\H\\\xcf\xf0\\a;caption\n02.01.2026 12:00;1,5"))
	f.Add([]byte("\xff\xfe(\x00P\x00D\x00H\x00-\x00T\x00S\x00V\x00 \x00"))
	f.Add([]byte("\"(PDH-TSV 4.0)\"\t\"\\\\H\\O(a#1)\\c\"\n\"01/02/2026 12:00:00\"\t\"1.#IND\"\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		rows, err := readAll(bytes.NewReader(log))
		again, errAgain := readAll(iotest.HalfReader(bytes.NewReader(log)))
		if (err == nil) != (errAgain == nil) || rows != again {
			t.Fatalf("chunks make a difference:\n%s%v\n%s%v", rows, err, again, errAgain)
		}
		if err != nil && !errors.Is(err, ErrNoHead) {
			t.Fatalf("error %v, want ErrNoHead", err)
		}
	})
}

// readAll tells all of a log, and checks what holds for any.
func readAll(in io.Reader) (string, error) {
	r, err := NewReader(in, ReadOptions{Location: time.UTC, maxLine: 4096})
	if err != nil {
		return "", err
	}
	var b, csv strings.Builder
	w := NewWriter(&csv, Options{Location: time.UTC})
	var row Row
	for r.Next(&row) == nil {
		columns := 0
		for _, s := range row.Head.Columns {
			if s != nil {
				columns++
			}
		}
		if len(row.readings()) != columns {
			return "", errors.New("not a reading for each column")
		}
		if row.Head.Line == 1 { // further heads would add columns
			if err := w.Write(row.Time, winperf.ColumnsOf(row.readings())); err != nil {
				return "", err
			}
		}
		b.WriteString(tell(row))
	}
	if r.lines.offset > 0 && strings.Contains(b.String(), "Inf") {
		return "", errors.New("an infinite number")
	}
	for _, err := range r.Damage() {
		if !errors.Is(err, winperf.ErrBadData) {
			return "", err
		}
		b.WriteString(err.Error() + "\n")
	}
	return b.String(), rereads(csv.String())
}

func tell(row Row) string {
	var b strings.Builder
	b.WriteString(row.Time.Format(time.RFC3339Nano) + row.Comment)
	for _, r := range row.readings() {
		b.WriteString(" " + shortReading(r))
	}
	return b.String() + "\n"
}

// rereads checks that a log that was written holds no damage. A text may look like
// what is no number, or too large for one, and is taken for that when it is read
// again: nothing in the form tells text from numbers.
func rereads(log string) error {
	if log == "" {
		return nil
	}
	r, err := NewReader(strings.NewReader(log), ReadOptions{})
	if err != nil {
		return errors.New("what was written is no log")
	}
	for row := (Row{}); ; {
		if err := r.Next(&row); err != nil {
			break
		}
	}
	for _, err := range r.Damage() {
		if !strings.Contains(err.Error(), "goes back") && !strings.Contains(err.Error(), "is no number") &&
			!strings.Contains(err.Error(), "is too large for a number") {
			return errors.Join(errors.New("what was written is damaged"), err)
		}
	}
	return nil
}

// FuzzValue compares the quick way to read numbers with strconv's.
func parseFloat(s string) (float64, error) {
	return strconv.ParseFloat(strings.Trim(s, " \t"), 64)
}

func FuzzValue(f *testing.F) {
	for _, s := range []string{"0", "1071.0072491149669531", "0.032083023520161361", "18446744073709551615", "9007199254740993.5", ".", "1.", "-0", "1e5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		is, bits, kind := parseValue([]byte(s))
		v := counter.FromBits(is, bits)
		if kind != isNumber {
			return
		}
		want, err := parseFloat(s)
		got, ok := v.Float64()
		if err != nil || !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q read as %v, want %v (%v)", s, v, want, err)
		}
	})
}

// FuzzRereadRow writes values and reads them back: the same bits, the same
// text but for control characters and blanks at its ends.
func FuzzRereadRow(f *testing.F) {
	f.Add(math.Float64bits(0.1), uint64(math.MaxUint64), "up", int64(1_767_355_200_123))
	f.Add(math.Float64bits(5), uint64(0), "", int64(0))
	f.Fuzz(func(t *testing.T, bits, n uint64, text string, milliseconds int64) {
		now := time.UnixMilli(milliseconds % 200_000_000_000_000).UTC()
		if year := now.Year(); year < 1601 || year > 9999 {
			return
		}
		readings := []winperf.Reading{
			reading(series(t, `\\H\O\float`), counter.Float(math.Float64frombits(bits))),
			reading(series(t, `\\H\O\int`), counter.Int(n)),
			reading(series(t, `\\H\O\text`), counter.Text(text)),
		}
		var out bytes.Buffer
		if err := NewWriter(&out, Options{Location: time.FixedZone("X", 3600)}).Write(now, winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(&out, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var row Row
		if err := r.Next(&row); err != nil {
			t.Fatal(err, r.Damage())
		}
		if !row.Time.Equal(now) {
			t.Errorf("time %v, want %v", row.Time, now)
		}
		checkReread(t, row.readings(), readings)
	})
}

func checkReread(t *testing.T, got, want []winperf.Reading) {
	t.Helper()
	float, _ := want[0].Value.Float64()
	if math.IsNaN(float) || math.IsInf(float, 0) {
		if got[0].Status == counter.OK {
			t.Errorf("%v reads back as %v", float, got[0].Value)
		}
	} else if back, ok := got[0].Value.Float64(); !ok || math.Float64bits(back) != math.Float64bits(float) {
		if back != 0 || float != 0 { // -0
			t.Errorf("%v reads back as %v", float, got[0].Value)
		}
	}
	if got[1].Value != want[1].Value {
		t.Errorf("%v reads back as %v", want[1].Value, got[1].Value)
	}
	text, _ := want[2].Value.AsText()
	if back, ok := got[2].Value.AsText(); ok && back != withoutControls(text) {
		t.Errorf("%q reads back as %q", text, back)
	}
}
