package delivery

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/sink"
)

func items(session string, from, to uint64) (all []Item) {
	for _, r := range records(session, from, to) {
		all = append(all, newItem(r))
	}
	return all
}

// ParseItem finds the fields at any place in a line, and makes no record of other lines.
func TestParseItem(t *testing.T) {
	for line, want := range map[string]Item{
		string(record("s", 7).AppendJSON(nil)):                           {Experiment: "load", Session: "s", Number: 7},
		`{"x":[{"number":1}],"number":2,"session":"a","experiment":"b"}`: {Experiment: "b", Session: "a", Number: 2},
		`{"number":2,"values":[]}`:                                       {Number: 2},
		`{"number":2,"values":`:                                          {},
		`{"number":"2"}`:                                                 {},
		`{"number":0}`:                                                   {},
		`[]`:                                                             {},
		``:                                                               {},
	} {
		got, err := ParseItem([]byte(line))
		if (err != nil) != (want.Number == 0) {
			t.Errorf("%s: %v", line, err)
		}
		if err == nil && (got.Experiment != want.Experiment || got.Session != want.Session || got.Number != want.Number) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// inFile are the records of a file: session/number.
func inFile(t *testing.T, name string) (found []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return inText(t, text)
}

func inText(t *testing.T, text []byte) (found []string) {
	t.Helper()
	for rec, err := range experiment.ReadRecords(bytes.NewReader(text)) {
		must(t, err)
		found = append(found, fmt.Sprintf("%s/%d", rec.Session, rec.Number))
	}
	return found
}

// A file of records is gone on with: what is in it is not written again, and half a line is
// cut off.
func TestFileGoesOn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	for i, c := range []struct {
		batch []Item
		tail  string // what a killed program leaves then
		want  []string
	}{
		{items("a", 1, 3), `{"experiment":"half`, names("a", 1, 3)},
		{items("a", 2, 5), "", names("a", 1, 5)},
		{items("b", 1, 2), "NO LINE END", append(names("a", 1, 5), names("b", 1, 2)...)},
		{items("b", 2, 3), "\x00\x00\x00", append(names("a", 1, 5), names("b", 1, 3)...)}, // as a power failure may
		{items("b", 3, 4), `{"experiment":"half` + "\x00\x00", append(names("a", 1, 5), names("b", 1, 4)...)},
		{items("b", 4, 5), "NO LINE END", append(names("a", 1, 5), names("b", 1, 5)...)},
		{items("b", 5, 6), "", append(names("a", 1, 5), names("b", 1, 6)...)},
	} {
		s, err := NewFile(name, FileOptions{})
		must(t, err)
		if _, err := NewFile(name, FileOptions{}); err == nil {
			t.Error("two write one file")
		}
		must(t, s.Deliver(t.Context(), c.batch))
		must(t, s.Deliver(t.Context(), c.batch)) // it comes twice
		must(t, s.Close(t.Context()))
		if got := inFile(t, name); !slices.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
		text, err := os.ReadFile(name)
		must(t, err)
		if text = append(text, c.tail...); c.tail == "NO LINE END" {
			text = bytes.TrimSuffix(text, []byte("\n"+c.tail))
		}
		must(t, os.WriteFile(name, text, 0o600))
		must(t, CheckFile(name, FileOptions{}))
		if again, err := os.ReadFile(name); !bytes.Equal(again, text) {
			t.Errorf("%d: the check left %q, %v", i, again, err)
		}
	}

	s, err := NewFile(name, FileOptions{Overwrite: true})
	must(t, err)
	must(t, s.Deliver(t.Context(), items("c", 1, 1)))
	must(t, s.Close(t.Context()))
	if got := inFile(t, name); !slices.Equal(got, names("c", 1, 1)) {
		t.Errorf("overwritten: %v", got)
	}
}

func TestFileRefuses(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.jsonl")
	must(t, os.WriteFile(other, []byte("notes\n"), 0o600))
	if _, err := NewFile(other, FileOptions{}); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("a file that holds something else: %v", err)
	}
	if text, err := os.ReadFile(other); string(text) != "notes\n" {
		t.Errorf("it is %q now, %v", text, err)
	}
	whole := string(record("s", 7).AppendJSON(nil)) + "\n"
	for _, own := range []string{"no json at all", "x", `{"half`, `{"experiment":"of mine"}`, whole + "notes", whole + "{}"} {
		must(t, os.WriteFile(other, []byte(own), 0o600))
		if err := CheckFile(other, FileOptions{}); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("check of a file that ends with %q: %v", own, err)
		}
		if _, err := NewFile(other, FileOptions{}); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("a file that ends with %q: %v", own, err)
		}
		if text, err := os.ReadFile(other); string(text) != own {
			t.Errorf("it is %q now, %v", text, err)
		}
	}
	csv := filepath.Join(dir, "there.csv")
	must(t, os.WriteFile(csv, nil, 0o600))
	if _, err := NewFile(csv, FileOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a csv file that is there: %v", err)
	}
	if _, err := NewFile(filepath.Join(dir, "x.what"), FileOptions{}); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("an extension that nobody knows: %v", err)
	}
}

// A sink that delivered nothing and is not wanted leaves no file, and one that was there as it was.
func TestDiscard(t *testing.T) {
	fresh, old := filepath.Join(t.TempDir(), "new.csv"), filepath.Join(t.TempDir(), "old.csv")
	must(t, os.WriteFile(old, []byte("what was there\n"), 0o600))
	for _, name := range []string{fresh, old} {
		s, err := NewFile(name, FileOptions{Overwrite: true})
		must(t, err)
		must(t, Discard(t.Context(), s))
	}
	if _, err := os.Stat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a new file: %v", err)
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "what was there\n" {
		t.Errorf("a file that was there has %q, %v", text, err)
	}

	other := &testSink{}
	if err := Discard(t.Context(), other); err != nil || !other.closed {
		t.Errorf("another sink: %v, closed %v", err, other.closed)
	}
}

// The formats of package sink have the values, each record as a moment.
func TestFileFormats(t *testing.T) {
	for _, c := range []struct {
		name string
		o    FileOptions
		want string
	}{
		{"x.csv", FileOptions{}, `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Object(a)\Counter","\\HOST\Object(b)\Counter"
"01/15/2027 08:00:01.000","1"," "
"01/15/2027 08:00:02.000","2"," "
`},
		{"y.csv", FileOptions{Columns: []string{`\\HOST\Object(a)\Counter`}}, `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Object(a)\Counter"
"01/15/2027 08:00:01.000","1"
"01/15/2027 08:00:02.000","2"
`},
		{"x.jsonl", FileOptions{Format: "jsonl"}, `"value":2,"unit":"count","status":"ok"`},
		{"x.json", FileOptions{}, `"status":"no_previous","object":"Object","instance":"b","counter":"Counter"}` + "\n]\n"},
		{"x.tsv", FileOptions{}, "(PDH-TSV 4.0)"},
		{"x.txt", FileOptions{}, "Object"},
	} {
		name := filepath.Join(t.TempDir(), c.name)
		s, err := NewFile(name, c.o)
		must(t, err)
		must(t, s.Deliver(t.Context(), items("a", 1, 1)))
		must(t, s.Deliver(t.Context(), items("a", 1, 2)))
		must(t, s.Close(t.Context()))
		text, err := os.ReadFile(name)
		must(t, err)
		got := strings.ReplaceAll(string(text), "\r\n", "\n")
		if strings.HasSuffix(c.name, ".csv") && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// What a file had no space for is written as it was, with the next batch or at the end, and once.
func TestFileNotWritten(t *testing.T) {
	for _, name := range []string{"x.csv", "x.json", "x.jsonl", "x.records"} {
		var texts []string
		for _, batches := range [][][]Item{
			{items("a", 1, 2), items("a", 3, 4)},
			{nil, items("a", 1, 2), items("a", 3, 4)}, // nil: the batch behind it fails
			{nil, items("a", 1, 2), items("a", 1, 1), items("a", 2, 4)},
			{items("a", 1, 2), nil, items("a", 3, 4)},
			{nil, items("a", 1, 4)},
		} {
			path := filepath.Join(t.TempDir(), name)
			s, err := NewFile(path, FileOptions{})
			must(t, err)
			file := s.(*fileSink)
			writes := file.file
			reads, err := os.Open(path)
			must(t, err)
			for i, batch := range batches {
				if batch == nil {
					continue
				}
				full := i > 0 && batches[i-1] == nil
				if full {
					file.file = reads // which takes nothing
				}
				if err := s.Deliver(t.Context(), batch); (err != nil) != full {
					t.Errorf("%s: error %v", name, err)
				}
				file.file = writes
			}
			must(t, s.Close(t.Context()))
			must(t, reads.Close())
			text, err := os.ReadFile(path)
			must(t, err)
			texts = append(texts, string(text))
		}
		for i, text := range texts {
			if text != texts[0] || text == "" {
				t.Errorf("%s: %d is\n%s\nwant\n%s", name, i, text, texts[0])
			}
		}
	}
}

// The state counts the series that have no column, as they came after the first record.
func TestLateSeries(t *testing.T) {
	for name, want := range map[string]int{"x.csv": 2, "x.tsv": 2, "x.jsonl": 0, "x.json": 0} {
		sink, err := NewFile(filepath.Join(t.TempDir(), name), FileOptions{})
		must(t, err)
		d, err := New(Options{Routes: []Route{{Name: "file", Sink: sink}}})
		must(t, err)

		others := records("a", 1, 4)
		for i, instance := range []string{"c", "d", "d"} { // one of them twice
			others[i+1].Values[1].Path = `\\HOST\Object(` + instance + `)\Counter`
			others[i+1].Values[1].Status = counter.OK
		}
		_, err = d.Put(t.Context(), others...)
		must(t, err)
		must(t, d.Close(t.Context()))
		if state := d.State().Routes[0]; state.Delivered != 4 || state.Late != want {
			t.Errorf("%s: %+v, want %d late", name, state, want)
		}
	}
}

// Statistics are no values of a moment: files of values do not have them.
func TestStatisticsAreNoMoment(t *testing.T) {
	for _, name := range []string{"x.csv", "x.json", "x.txt"} {
		var texts []string
		for _, statistics := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), name)
			sink, err := NewFile(path, FileOptions{})
			must(t, err)
			d, err := New(Options{Routes: []Route{{Name: "file", Sink: sink}}})
			must(t, err)

			all := records("a", 1, 3)
			if statistics {
				s := record("a", 4)
				s.Kind, s.Begun = experiment.Summary, all[0].Begun
				s.Values[0].Value, s.Values[0].Statistics = counter.Value{}, &experiment.Statistics{Count: 3, Mean: 2}
				all = append(all, s)
			}
			_, err = d.Put(t.Context(), all...)
			must(t, err)
			must(t, d.Close(t.Context()))
			text, err := os.ReadFile(path)
			must(t, err)
			texts = append(texts, string(text))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s with statistics:\n%s\nwithout:\n%s", name, texts[1], texts[0])
		}
	}
}

// Files of values have no name for a source: of two with the same path they have the first one's values, and
// the state counts the other.
func TestSameSeriesOfTwoSources(t *testing.T) {
	for _, name := range []string{"x.csv", "x.json"} {
		path := filepath.Join(t.TempDir(), name)
		sink, err := NewFile(path, FileOptions{})
		must(t, err)
		d, err := New(Options{Routes: []Route{{Name: "file", Sink: sink}}})
		must(t, err)

		all := records("a", 1, 4)
		for i, r := range all {
			other := r.Values[0]
			r.Values[0].Source, r.Values[1].Source = "here", "here"
			other.Source, other.Value = "log", counter.Int(777)
			if r.Values = append(r.Values, other); i == 2 { // the source that comes first fails
				r.Values = r.Values[2:]
			}
		}
		_, err = d.Put(t.Context(), all...)
		must(t, err)
		must(t, d.Close(t.Context()))
		text, err := os.ReadFile(path)
		must(t, err)
		if state := d.State().Routes[0]; state.Late != 1 || bytes.Contains(text, []byte("777")) || !bytes.Contains(text, []byte("4")) {
			t.Errorf("%+v\n%s", state, text)
		}
	}
}

// endpoint is what a POST gets as its answer.
type endpoint struct {
	*httptest.Server
	answer   func(w http.ResponseWriter, r *http.Request, body []byte)
	requests []http.Header
}

func newEndpoint(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, body []byte)) *endpoint {
	e := &endpoint{answer: answer}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("%s, %v", r.Method, err)
		}
		e.requests = append(e.requests, r.Header)
		e.answer(w, r, body)
	}))
	t.Cleanup(e.Close)
	return e
}

func TestHTTP(t *testing.T) {
	var got []string
	e := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request, body []byte) {
		got = append(got, inText(t, body)...)
		w.WriteHeader(http.StatusAccepted)
	})
	s, err := NewHTTP(e.URL+"/in?x=1", HTTPOptions{Header: http.Header{"Authorization": {"Bearer secret"}}})
	must(t, err)
	must(t, s.Deliver(t.Context(), items("a", 5, 9)))
	must(t, s.Deliver(t.Context(), items("a", 5, 9)))
	must(t, s.Close(t.Context()))
	if !slices.Equal(got, append(names("a", 5, 9), names("a", 5, 9)...)) {
		t.Error(got)
	}
	for _, h := range e.requests {
		for name, want := range map[string]string{
			HeaderExperiment: "load", HeaderSession: "a", HeaderNumbers: "5-9", "Idempotency-Key": "a/5-9",
			"Content-Type": "application/x-ndjson", "Authorization": "Bearer secret",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %q, want %q", name, h.Get(name), want)
			}
		}
	}
}

// What an answer means: taken, never, later, at a time.
func TestHTTPAnswers(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		status  int
		after   string
		refused bool
		wait    time.Duration
	}{
		{200, "", false, 0}, {204, "9", false, 0},
		{400, "", true, 0}, {413, "", true, 0}, {415, "", true, 0}, {422, "5", true, 0},
		{302, "", false, 0}, {401, "", false, 0}, {404, "", false, 0}, {500, "soon", false, 0}, {503, "-5", false, 0},
		{429, "7", false, 7 * time.Second}, {503, "Fri, 02 Jan 2026 03:05:05 GMT", false, time.Minute},
		{503, "Fri, 02 Jan 2026 03:00:00 GMT", false, 0},
		{503, "7200", false, time.Hour}, {503, "99999999999999999999", false, time.Hour},
		{503, "Fri, 02 Jan 2126 03:00:00 GMT", false, time.Hour},
	} {
		e := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			w.Header().Set("Retry-After", c.after)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte("why\x1b\n")) // 204 has no body
		})
		s, err := NewHTTP(e.URL, HTTPOptions{Now: func() time.Time { return now }})
		must(t, err)
		err = s.Deliver(t.Context(), items("a", 1, 1))
		var no *refused
		var later *wait
		errors.As(err, &later)
		switch {
		case (err == nil) != (c.status/100 == 2), errors.As(err, &no) != c.refused:
			t.Errorf("%d: %v", c.status, err)
		case (later != nil) != (c.wait > 0), later != nil && later.pause != c.wait:
			t.Errorf("%d, %s: %v", c.status, c.after, err)
		case err != nil && (!strings.Contains(err.Error(), `why\x1b`) || len(e.requests) != 1):
			t.Errorf("%d: %v, %d requests", c.status, err, len(e.requests))
		}
		must(t, s.Close(t.Context()))
	}
	for _, url := range []string{
		"", "example.com", "ftp://x/", "http://", "http://\x00/", "ftp://me:S3CRET@x/", "http://me:S3/CRET@x/",
	} {
		if _, err := NewHTTP(url, HTTPOptions{}); err == nil || strings.Contains(err.Error(), "S3") {
			t.Errorf("%q: error %v", url, err)
		}
	}
}

// An endpoint that loses answers gets records again, and can tell: none is missing.
func TestHTTPLostAnswers(t *testing.T) {
	n := 0
	seen := map[string]int{}
	e := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request, body []byte) {
		for _, name := range inText(t, body) {
			seen[name]++
		}
		if n++; n%3 != 0 {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_ = conn.Close() // which loses the answer
		}
	})
	s, err := NewHTTP(e.URL, HTTPOptions{})
	must(t, err)
	d := begin(t, Options{Routes: []Route{{
		Name: "a", Sink: s, Records: 10, Linger: -1, First: time.Millisecond, Most: time.Millisecond}}})
	put(t, d, records("x", 1, 100)...)
	must(t, d.Close(t.Context()))
	if len(seen) != 100 || d.State().Routes[0].Failures == 0 {
		t.Errorf("%d records came, %+v", len(seen), d.State().Routes[0])
	}
}

// program is the environment variable by which a test runs this program as one that reads
// records: "read" copies them to a file, and "die" ends after each few.
const program = "WINPERF_TEST_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(program) {
	case "":
		os.Exit(m.Run())
	case "parent":
		runSleepingProgram()
	case "sleeps":
		fmt.Println("sleeps")
		time.Sleep(time.Hour)
	case "disk":
		deliverToDisk()
	case "deaf", "closed": // until they are killed
		if os.Getenv(program) == "closed" {
			_ = os.Stdin.Close() // and it goes on
		}
		select {}
	case "quits":
	default:
		readRecords()
	}
}

func readRecords() {
	out, err := os.OpenFile(os.Args[1], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(3)
	}
	lines := bufio.NewScanner(os.Stdin)
	for n := 0; lines.Scan(); n++ {
		if os.Getenv(program) == "die" && n == 7 {
			os.Exit(5)
		}
		fmt.Fprintln(out, lines.Text())
	}
	os.Exit(0)
}

// A program gets all records; one that dies is started again, and gets those again that it
// may not have read.
func TestProgram(t *testing.T) {
	for _, does := range []string{"read", "die"} {
		name := filepath.Join(t.TempDir(), "got")
		s, err := NewProgram(&exec.Cmd{Args: []string{os.Args[0], name}, Env: append(os.Environ(), program+"="+does)})
		must(t, err)
		d := begin(t, Options{Routes: []Route{{
			Name: "a", Sink: s, Records: 2, Linger: -1, First: time.Millisecond, Most: time.Millisecond}}})
		put(t, d, records("x", 1, 6)...)
		if does == "read" {
			must(t, d.Close(t.Context()))
			if got := inFile(t, name); !slices.Equal(got, names("x", 1, 6)) {
				t.Errorf("it got %v", got)
			}
			continue
		}

		// It ends at its 8th record without saying so. The next ones start it again.
		put(t, d, records("x", 7, 8)...)
		for end := time.Now().Add(5 * time.Minute); d.State().Routes[0].Failures == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%+v", d.State())
			}
			if n := d.State().Routes[0].Number; n >= 8 {
				put(t, d, record("x", n+1))
			}
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		_ = d.Close(stopped) // it dies again with each 7 records
		got := inFile(t, name)
		if !slices.Equal(got[:7], names("x", 1, 7)) || len(got) > 7 && got[7] != "x/1" {
			t.Errorf("it got %v", got)
		}
	}

	if _, err := NewProgram(&exec.Cmd{}); err == nil {
		t.Error("no program is one")
	}
	s, err := NewProgram(exec.Command(filepath.Join(t.TempDir(), "none")))
	must(t, err)
	if err := s.Deliver(t.Context(), items("x", 1, 1)); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program that is not there: %v", err)
	}
	must(t, s.Close(t.Context()))
}

// What was spilled comes in order, what was delivered does not come again, and what a
// program left that was killed is found.
func TestSpill(t *testing.T) {
	disk := Disk{Dir: filepath.Join(t.TempDir(), "spill")}
	s, err := NewSpill(disk)
	must(t, err)
	var spool experiment.Spool = s
	must(t, spool.Append(records("x", 3, 9)))
	must(t, spool.Append(records("x", 12, 14)))
	numbers := func(above uint64, most int) (all []string) {
		list, err := spool.Read(above, most)
		must(t, err)
		for _, r := range list {
			all = append(all, strconv.Itoa(int(r.Number)))
		}
		return all
	}
	for _, c := range []struct {
		above uint64
		most  int
		want  string
	}{{0, 3, "3 4 5"}, {5, 2, "6 7"}, {7, 100, "8 9 12 13 14"}, {14, 5, ""}, {5, 3, "6 7 8"}} {
		if got := strings.Join(numbers(c.above, c.most), " "); got != c.want {
			t.Errorf("above %d: %s, want %s", c.above, got, c.want)
		}
	}
	must(t, spool.Forget(7))

	// A living program's is left alone.
	if err := Recover(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
	sink := &testSink{}
	d := begin(t, Options{Routes: []Route{{Name: "a", Sink: sink}}})
	must(t, Recover(t.Context(), disk, d.Put))
	must(t, d.Close(t.Context()))
	sink.expect(t, "x/8", "x/9", "x/12", "x/13", "x/14")
	left, err := filepath.Glob(filepath.Join(disk.Dir, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// A program that does not read, closes its input or ends at once holds up nobody, and does not outlive
// the delivery; what it did not take is told.
func TestProgramHostile(t *testing.T) {
	for _, does := range []string{"deaf", "closed", "quits"} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			s, err := NewProgram(&exec.Cmd{Args: []string{os.Args[0]}, Env: append(os.Environ(), program+"="+does)})
			must(t, err)
			good := &testSink{}
			d := begin(t, Options{Records: 5000, Routes: []Route{
				{Name: "bad", Sink: s, Linger: -1, Timeout: 50 * time.Millisecond, First: time.Millisecond, Most: time.Millisecond},
				{Name: "good", Sink: good, Linger: -1},
			}})
			put(t, d, records("x", 1, 2000)...)
			for end := time.Now().Add(5 * time.Minute); d.State().Routes[0].Failures < 3; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%+v", d.State())
				}
			}
			stopped, stop := context.WithCancel(t.Context())
			stop()
			err = d.Close(stopped)
			if !errors.Is(err, ErrUndelivered) {
				t.Errorf("Close: %v", err)
			}
			for line := range strings.Lines(err.Error()) { // each says what it is about
				if !strings.HasPrefix(line, "bad: ") && !strings.HasPrefix(line, "good: ") {
					t.Errorf("Close: %q", line)
				}
			}
			if state := d.State().Routes; state[0].Delivered+d.State().Waiting < 2000 || state[1].Lost > 0 {
				t.Errorf("%+v", d.State())
			}
		})
	}
}

// That also holds where so many series came and went that the first source's is no longer known.
func TestSameSeriesAfterMany(t *testing.T) {
	r, err := newReadings("json", sink.Options{File: true})
	must(t, err)
	var out []byte
	number := uint64(0)
	write := func(values ...experiment.Value) {
		t.Helper()
		number++
		rec := record("a", number)
		rec.Values = values
		text, err := r.encode([]Item{newItem(rec)})
		must(t, err)
		out = append(out, text...)
	}
	of := func(source, instance string, n uint64) experiment.Value {
		return experiment.Value{
			Path: `\\HOST\Object(` + instance + `)\Counter`, Source: source, Value: counter.Int(n), Unit: counter.Count,
		}
	}

	write(of("here", "x", 4), of("log", "x", 777))
	many := make([]experiment.Value, 0, 10_000)
	for i := range maxSeries {
		if many = append(many, of("here", fmt.Sprint(i), 5)); len(many) == cap(many) {
			write(many...)
			many = many[:0]
		}
	}
	write(of("log", "x", 777)) // that of the other source is missing here
	write(of("here", "x", 6), of("log", "x", 777))
	if bytes.Contains(out, []byte(`"value":777`)) || r.Late() != 1 {
		t.Errorf("%d late, and the other source's value is there: %s", r.Late(), out[max(0, len(out)-500):])
	}
}

// runSleepingProgram has a sink that reads no input, and waits to be killed.
func runSleepingProgram() {
	cmd := &exec.Cmd{Args: []string{os.Args[0]}, Stdout: os.Stdout, Env: append(os.Environ(), program+"=sleeps")}
	s, err := NewProgram(cmd)
	if err == nil {
		err = s.Deliver(context.Background(), []Item{newItem(record("s", 1))})
	}
	if err != nil {
		fmt.Println("error", err)
		return
	}
	time.Sleep(time.Hour)
}
