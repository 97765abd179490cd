package pdhtext

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"golang.org/x/text/encoding/unicode"
)

// story reads a log to its end and tells it line by line: each row as its time
// and readings, and all damage where it was found.
func story(t *testing.T, r io.Reader, opt ReadOptions) (*Reader, string) {
	t.Helper()
	reader, err := NewReader(r, opt)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	tellDamage := func() {
		for _, err := range reader.Damage() {
			if !errors.Is(err, winperf.ErrBadData) {
				t.Errorf("%v does not wrap ErrBadData", err)
			}
			fmt.Fprintf(&b, "! %v\n", strings.TrimPrefix(err.Error(), "bad data in "))
		}
	}
	tellDamage()
	var row Row
	for {
		err := reader.Next(&row)
		tellDamage()
		if errors.Is(err, io.EOF) {
			return reader, b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(row.Time.Format("01-02 15:04:05.000"))
		for _, r := range row.readings() {
			fmt.Fprintf(&b, " %s=%s", r.Path.Counter, shortReading(r))
		}
		if row.Comment != "" {
			fmt.Fprintf(&b, " (%s)", row.Comment)
		}
		b.WriteByte('\n')
	}
}

// shortReading is a reading's value with a letter for its kind, or its status.
func shortReading(r winperf.Reading) string {
	if r.Status != counter.OK {
		return r.Status.String()
	}
	return map[counter.Kind]string{counter.KindInt: "i", counter.KindFloat: "f", counter.KindText: "t"}[r.Value.Kind()] + r.Value.String()
}

const head = `"(PDH-CSV 4.0) (UTC)(0)","\\H\O\a","\\H\O\b"` + "\r\n"

// at is a time stamp so many seconds after noon.
func at(second int) string { return fmt.Sprintf(`"01/02/2026 12:00:%02d.000"`, second) }

func TestReader(t *testing.T) {
	tests := map[string]struct {
		log, want string
		opt       ReadOptions
	}{
		"log": {
			log:  head + at(0) + `,"1"," "` + "\r\n" + at(1) + `,"1071.0072491149669531","238132991823872"` + "\r\n",
			want: "01-02 12:00:00.000 a=i1 b=no_previous\n01-02 12:00:01.000 a=f1071.007249114967 b=i238132991823872\n",
		},
		"line feeds only, no last one, empty values": {
			log:  strings.ReplaceAll(head, "\r", "") + at(0) + `,"1",""` + "\n" + at(1) + `,"",""`,
			want: "01-02 12:00:00.000 a=i1 b=no_previous\n01-02 12:00:01.000 a=invalid_data b=invalid_data\n",
		},
		"bias": {
			log:  `"(PDH-TSV 4.0) (India Standard Time)(-330)"` + "\t" + `"\\H\O\a"` + "\n" + at(0) + "\t" + `"1"`,
			want: "01-02 06:30:00.000 a=i1\n",
		},
		"numbers": {
			log: head + at(0) + `,"0.032083023520161361","18446744073709551615"` + "\n" +
				at(1) + `,"-1","1e-7"` + "\n" + at(2) + `,"18446744073709551616","2.5E+3"` + "\n" + at(3) + `,"1.#QNAN","-inf"` + "\n" +
				at(4) + `,"  7 ",".5"` + "\n",
			want: "01-02 12:00:00.000 a=f0.03208302352016136 b=i18446744073709551615\n" +
				"01-02 12:00:01.000 a=f-1 b=f1e-07\n" +
				"01-02 12:00:02.000 a=f1.8446744073709552e+19 b=f2500\n" +
				"01-02 12:00:03.000 a=invalid_data b=invalid_data\n" +
				"01-02 12:00:04.000 a=i7 b=f0.5\n",
		},
		"too large": {
			log: head + at(0) + `,"1e999","1"` + "\n",
			want: "! line 2 (offset 46), field 2: \"1e999\" is too large for a number\n" +
				"01-02 12:00:00.000 a=invalid_data b=i1\n",
		},
		"text among numbers is told, a column of text is not": {
			log: head + at(0) + `,"1","up, ""and"" running"` + "\n" + at(1) + `,"0x10","down"` + "\n",
			want: "01-02 12:00:00.000 a=i1 b=tup, \"and\" running\n" +
				"! line 3 (offset 98), field 2: \"0x10\" is no number\n" +
				"01-02 12:00:01.000 a=t0x10 b=tdown\n",
		},
		"separators in names": {
			log:  `"(PDH-CSV 4.0)","\\H\O(a, ""b"")\c, d"` + "\n" + at(0) + `,"1"`,
			want: "01-02 12:00:00.000 c, d=i1\n",
			opt:  ReadOptions{Location: time.UTC},
		},
		"console": {
			log: "\r\nC:\\> typeperf\r\n" + head + at(0) + `,"1","2"` + "\r\n\r\n" +
				"Exiting, please wait...                         \r\nThe command completed successfully.\r\n\r\n",
			want: "01-02 12:00:00.000 a=i1 b=i2\n",
		},
		"a table program": {
			log:  `(PDH-CSV 4.0) (UTC)(0);\\H\O\a;\\H\O\b` + "\n" + "02.01.2026 12:00:05;1,5;3\n2026-01-02 12:01;1;2.5\n1/2/2026 1:02:03; 1 ;\"2\"\n",
			want: "01-02 12:00:05.000 a=f1.5 b=i3\n01-02 12:01:00.000 a=i1 b=f2.5\n! line 4 (offset 88): the time goes back by 10h58m57s\n01-02 01:02:03.000 a=i1 b=i2\n",
		},
		"short and long rows": {
			log: head + at(0) + `,"1"` + "\n" + at(1) + "\n" + at(2) + `,"1","2","a comment"` + "\n" + at(3) + `,"1","2","3","4"` + "\n",
			want: "! line 2 (offset 46): 1 values, expected 2; the others are missing\n01-02 12:00:00.000 a=i1 b=invalid_data\n" +
				"! line 3 (offset 76): 0 values, expected 2; the others are missing\n01-02 12:00:01.000 a=invalid_data b=invalid_data\n" +
				"01-02 12:00:02.000 a=i1 b=i2 (a comment)\n" +
				"! line 5 (offset 148), field 4: more fields than the head has; they are skipped\n01-02 12:00:03.000 a=i1 b=i2\n",
		},
		"the last line is cut in a value": {
			log:  head + at(0) + `,"1","2"` + "\n" + at(1) + `,"1","23`,
			want: "01-02 12:00:00.000 a=i1 b=i2\n! line 3 (offset 80), field 3: the field does not end; the rest of the row is skipped\n01-02 12:00:01.000 a=i1 b=invalid_data\n",
		},
		"the last line is cut in the time": {
			log:  head + at(0) + `,"1","2"` + "\n" + `"01/02/2026 12:00`,
			want: "01-02 12:00:00.000 a=i1 b=i2\n! line 3 (offset 80): \"01/02/2026 12:00\" is no time stamp, expected MM/DD/YYYY HH:MM:SS.mmm; the row is skipped\n",
		},
		"a bare line is cut": {
			log:  "(PDH-CSV 4.0) (UTC)(0),\\\\H\\O\\a,\\\\H\\O\\b\n01/02/2026 12:00:00,17",
			want: "! line 2 (offset 39), field 2: the field does not end; the rest of the row is skipped\n01-02 12:00:00.000 a=invalid_data b=invalid_data\n",
		},
		"a quote is lost": {
			log: head + at(0) + `,1","2"` + "\n" + at(1) + `,"1,"2"` + "\n" + at(2) + `,"1"x,"2"` + "\n",
			want: "! line 2 (offset 46), field 2: text behind the closing quote; the rest of the row is skipped\n01-02 12:00:00.000 a=invalid_data b=invalid_data\n" +
				"! line 3 (offset 79), field 2: text behind the closing quote; the rest of the row is skipped\n01-02 12:00:01.000 a=invalid_data b=invalid_data\n" +
				"! line 4 (offset 112), field 2: text behind the closing quote; the rest of the row is skipped\n01-02 12:00:02.000 a=invalid_data b=invalid_data\n",
		},
		"no such day": {
			log:  head + `"02/30/2026 12:00:00.000","1","2"` + "\n" + `"13/02/2026 12:00:00.000","1","2"` + "\n" + at(1) + `,"1","2"` + "\n",
			want: "! line 2 (offset 46): \"02/30/2026 12:00:00.000\" is no time stamp, expected MM/DD/YYYY HH:MM:SS.mmm; the row is skipped\n! line 3 (offset 80): \"13/02/2026 12:00:00.000\" is no time stamp, expected MM/DD/YYYY HH:MM:SS.mmm; the row is skipped\n01-02 12:00:01.000 a=i1 b=i2\n",
		},
		"two runs, other columns": {
			log: head + at(0) + `,"1","2"` + "\n" + `"(PDH-CSV 4.0) (UTC)(-60)","\\H\O\b","\\H\O\c"` + "\n" + at(1) + `,"3"," "` + "\n",
			want: "01-02 12:00:00.000 a=i1 b=i2\n" +
				"01-02 11:00:01.000 b=i3 c=no_previous\n",
		},
		"a caption": {
			log:  strings.TrimSuffix(head, "\r\n") + `,"my caption"` + "\n" + at(0) + `,"1","2"` + "\n",
			want: "01-02 12:00:00.000 a=i1 b=i2\n",
		},
		"a last column with numbers and no path": {
			log: strings.TrimSuffix(head, "\r\n") + `,"Load of my app"` + "\n" + at(0) + `,"1","2","77"` + "\n" + at(1) + `,"1","2","78"` + "\n",
			want: "! line 2 (offset 62), field 4: the column has numbers, but its head \"Load of my app\" is no counter path; the column is skipped\n" +
				"01-02 12:00:00.000 a=i1 b=i2 (77)\n01-02 12:00:01.000 a=i1 b=i2 (78)\n",
		},
		"empty rows and fields of spreadsheets": {
			log:  head + at(0) + `,"1","2",,` + "\r\n,,\r\n\"\",\"\",\r\n" + "\x1a",
			want: "01-02 12:00:00.000 a=i1 b=i2\n",
		},
		"an address is no grouped number": {
			log:  head + at(0) + `,"1.5","192.168.100.200"` + "\r\n",
			want: "01-02 12:00:00.000 a=f1.5 b=t192.168.100.200\n",
		},
		"doubled CR": {
			log:  "(PDH-CSV 4.0) (UTC)(0),\\\\H\\O\\a\r\r\n01/02/2026 12:00:00,17\r\r\n",
			want: "01-02 12:00:00.000 a=i17\n",
		},
		"decimal commas in quotes": {
			log: head + at(0) + `,"13,951","13,95"` + "\n" + at(1) + `,"1,234","14,051"` + "\n" + at(2) + `,"7.5","1.234"` + "\n",
			want: "! line 2 (offset 46), field 2: \"13,951\" is one of two numbers, by its decimal separator; it has no value\n" +
				"01-02 12:00:00.000 a=invalid_data b=f13.95\n" +
				"01-02 12:00:01.000 a=f1.234 b=f14.051\n" +
				"! line 4 (offset 132), field 2: the decimal separator differs from the one that earlier numbers of the column were read with\n" +
				"01-02 12:00:02.000 a=f7.5 b=i1234\n",
		},
		"grouped digits": {
			log: head + at(0) + `,"1,234.5","1,234,567"` + "\n" + at(1) + `,"1,234","1 234"` + "\n" + at(2) + `,"12'345","-1,234.25"` + "\n" + at(3) + `,"1.125","1` + "\u00a0" + `234.5"` + "\n",
			want: "01-02 12:00:00.000 a=f1234.5 b=i1234567\n01-02 12:00:01.000 a=i1234 b=i1234\n" +
				"01-02 12:00:02.000 a=i12345 b=f-1234.25\n01-02 12:00:03.000 a=f1.125 b=f1234.5\n",
		},
		"decimal commas without quotes": {
			log: "(PDH-CSV 4.0) (UTC)(0),\\\\H\\O\\a\n01/02/2026 12:00:00,13,95\n",
			want: "! line 2 (offset 31), field 3: more fields than the head has, perhaps by decimal commas without quotes; the row has no values\n" +
				"01-02 12:00:00.000 a=invalid_data\n",
		},
		"a column that is no path": {
			log:  `"(PDH-CSV 4.0) (UTC)(0)","a","\\H\O\b"` + "\n" + at(0) + `,"1","2"` + "\n",
			want: "! line 1 (offset 0), field 2: bad counter path \"a\", character 1: a path begins with a backslash; the column is skipped\n01-02 12:00:00.000 b=i2\n",
		},
		"the head is cut": {
			log:  `"(PDH-CSV 4.0) (UTC)(0)","\\H\O\a","\\H\O`,
			want: "! line 1 (offset 0), field 3: the head is cut off or its quotes are damaged; the columns from here on are skipped\n",
		},
		"no columns": {
			log:  `"(PDH-CSV 4.0) (UTC)(0)"` + "\n" + at(0) + "\n",
			want: "01-02 12:00:00.000\n",
		},
		"wanted columns only": {
			log:  head + at(0) + `,"not looked at","2"` + "\n",
			want: "01-02 12:00:00.000 b=i2\n",
			opt:  ReadOptions{Select: func(s *winperf.Series) bool { return s.Path.Counter == "b" }},
		},
		"long lines": {
			log:  head + at(0) + `,"1","` + strings.Repeat("2", 300_000) + `"` + "\n" + at(1) + `,"1","2"` + "\n" + strings.Repeat("\x00", 300_000),
			want: "! line 2 (offset 46): a line of more than 1000 bytes, skipped\n01-02 12:00:01.000 a=i1 b=i2\n! line 4 (offset 300113): a line of more than 1000 bytes, skipped\n",
			opt:  ReadOptions{maxLine: 1000},
		},
		"zeros at the end": {
			log:  head + at(0) + `,"1","2"` + "\n\x00\x00\x00",
			want: "01-02 12:00:00.000 a=i1 b=i2\n! line 3 (offset 80): \"\\x00\\x00\\x00\" is no time stamp, expected MM/DD/YYYY HH:MM:SS.mmm; the row is skipped\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, got := story(t, strings.NewReader(tt.log), tt.opt); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			if _, got := story(t, iotest.OneByteReader(strings.NewReader(tt.log)), tt.opt); got != tt.want {
				t.Errorf("byte by byte\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestHead(t *testing.T) {
	tests := []struct {
		log  string
		opt  ReadOptions
		want Head
	}{
		{`"(PDH-CSV 4.0)","\\H\O\a"`, ReadOptions{}, Head{Version: "4.0", Dialect: Typeperf, CodePage: 65001}},
		{`"(PDH-CSV 4.0) (Eastern Daylight Time)(240)","\\H\O\a"`, ReadOptions{},
			Head{Version: "4.0", Zone: "Eastern Daylight Time", Bias: 4 * time.Hour, BiasKnown: true, CodePage: 65001}},
		{`"(pdh-tsv 4.0) (RTZ 2 (` + "\xe7\xe8\xec\xe0" + `))(-180)"`, ReadOptions{},
			Head{Format: TSV, Version: "4.0", Zone: "RTZ 2 (зима)", Bias: -3 * time.Hour, BiasKnown: true, CodePage: 1251, Guessed: true}},
		{`"(PDH-CSV 4.0) (RTZ 2 (","\\H\O\a"`, ReadOptions{CodePage: 1251}, Head{Version: "4.0", Zone: "RTZ 2 (", CodePage: 1251}},
		{`"(PDH-CSV 4.0) (Zone)(99999)","\\H\O\a"`, ReadOptions{}, Head{Version: "4.0", Zone: "Zone)(99999)", CodePage: 65001}},
		{`"(PDH-CSV 4.0) (X)(0)","\\H\O\a","a caption"`, ReadOptions{}, Head{Version: "4.0", Zone: "X", BiasKnown: true, CodePage: 65001, Caption: "a caption"}},
	}
	for _, tt := range tests {
		r, err := NewReader(strings.NewReader(tt.log), tt.opt)
		if err != nil {
			t.Errorf("%s: %v", tt.log, err)
			continue
		}
		h := r.Head()
		if h.Format != tt.want.Format || h.Version != tt.want.Version || h.Dialect != tt.want.Dialect || h.Zone != tt.want.Zone ||
			h.Bias != tt.want.Bias || h.BiasKnown != tt.want.BiasKnown || h.CodePage != tt.want.CodePage ||
			h.Guessed != tt.want.Guessed || h.Caption != tt.want.Caption {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.log, *h, tt.want)
		}
	}
}

func TestNoHead(t *testing.T) {
	for _, log := range []string{"", "\n\n", "time,value\n1,2\n", strings.Repeat("x", 200_000), strings.Repeat("x\n", 200_000), "\xff\xfe"} {
		_, err := NewReader(strings.NewReader(log), ReadOptions{})
		if !errors.Is(err, ErrNoHead) || !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%q: %v, want ErrNoHead and ErrBadData", brief([]byte(log)), err)
		}
	}
	if _, err := NewReader(iotest.ErrReader(io.ErrClosedPipe), ReadOptions{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// A reader that fails in the middle is an error, and no end.
func TestReadError(t *testing.T) {
	r, err := NewReader(io.MultiReader(strings.NewReader(head+at(0)+`,"1","2"`+"\n"+at(1)), iotest.ErrReader(io.ErrUnexpectedEOF)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var row Row
	if err := r.Next(&row); err != nil {
		t.Fatal(err)
	}
	if err := r.Next(&row); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want the reader's error", err)
	}
}

// A path keeps its Series in the next head, and equal paths are two series.
func TestSeriesIdentity(t *testing.T) {
	const two = `"(PDH-CSV 4.0) (UTC)(0)","\\H\O\b","\\H\O\a","\\H\O\b"` + "\n"
	r, err := NewReader(strings.NewReader(two+at(0)+`,"1","2","3"`+"\n"+head+at(1)+`,"4","5"`+"\n"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := slices.Clone(r.Head().Columns)
	if first[0] == first[2] {
		t.Error("two columns are one series")
	}
	var row Row
	for range 2 {
		if err := r.Next(&row); err != nil {
			t.Fatal(err)
		}
	}
	if row.readings()[0].Series != first[1] || row.readings()[1].Series != first[0] || row.Head.Line != 3 {
		t.Errorf("the second head has other series: %v", row)
	}
}

// Clocks are set back at 3 o'clock in this zone: the hour before comes twice.
func TestSetBack(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	log := `"(PDH-CSV 4.0)"` + "\n"
	for _, wall := range []string{"01:30", "02:00", "02:30", "02:00", "02:30", "03:00"} {
		log += `"10/25/2026 ` + wall + `:00.000"` + "\n"
	}
	want := "10-24 23:30:00.000\n10-25 00:00:00.000\n10-25 00:30:00.000\n10-25 01:00:00.000\n10-25 01:30:00.000\n10-25 02:00:00.000\n"
	if _, got := story(t, strings.NewReader(log), ReadOptions{Location: zone}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	r, got := story(t, strings.NewReader(strings.Replace(log, "4.0)", "4.0) (W. Europe Daylight Time)(-120)", 1)), ReadOptions{})
	if strings.Count(got, "the time goes back by 30m0s") != 1 || r.Head().Location().String() != "W. Europe Daylight Time" {
		t.Errorf("with the bias alone:\n%s", got)
	}
}

func TestUnicode(t *testing.T) {
	log := `"(PDH-CSV 4.0) (UTC)(0)","\\H\Память\Байт ""всего"""` + "\r\n" + at(0) + `,"1"` + "\r\n"
	want := "01-02 12:00:00.000 Байт \"всего\"=i1\n"
	encode := func(e unicode.Endianness, b unicode.BOMPolicy) string {
		s, err := unicode.UTF16(e, b).NewEncoder().String(log)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, text := range map[string]string{
		"UTF-8":                     log,
		"UTF-8 with a mark":         "\ufeff" + log,
		"UTF-16LE with a mark":      encode(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16BE with a mark":      encode(unicode.BigEndian, unicode.UseBOM),
		"UTF-16LE without a mark":   encode(unicode.LittleEndian, unicode.IgnoreBOM),
		"UTF-16BE without a mark":   encode(unicode.BigEndian, unicode.IgnoreBOM),
		"UTF-16LE, a line before":   encode(unicode.LittleEndian, unicode.UseBOM)[:2] + "\r\x00\n\x00" + encode(unicode.LittleEndian, unicode.UseBOM)[2:],
		"UTF-16LE cut in a letter":  encode(unicode.LittleEndian, unicode.UseBOM) + "x",
		"UTF-8 with a mark, a line": "\ufeff\r\n" + log,
	} {
		for _, opt := range []ReadOptions{{}, {CodePage: 1251}} { // a mark tells more than an option
			if opt.CodePage != 0 && !strings.Contains(name, "with a mark") {
				continue
			}
			_, got := story(t, strings.NewReader(text), opt)
			if got, _, _ := strings.Cut(got, "!"); got != want {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// readings returns the values of a row as readings.
func (r *Row) readings() []winperf.Reading {
	var sample winperf.Sample
	r.Values.Fill(&sample.Begin().Raw, r.Time, r.Series)
	readings, err := perftest.Displayed(&sample)
	if err != nil {
		panic(err)
	}
	return readings
}
