package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// machine is a source whose samples are a text form of a block with a number that grows with each sample.
type machine struct {
	text   string                        // NUMBER is the number and TIME a tenth of a second for each
	change func(n int) *strings.Replacer // of the text, if not nil
	number *int
	names  *winperf.Schema
	failed error
}

func newMachine(t *testing.T, text string, number *int) *machine {
	t.Helper()
	table := func(language string, texts map[uint32]string) winperf.NameTable {
		names, err := nametable.FromMap(nametable.Counter, texts)
		if err != nil {
			t.Fatal(err)
		}
		return names.NameTable(language)
	}
	english := table("009", map[uint32]string{230: "Process", 784: "ID Process", 10: "Reads/sec", 12: "Handles"})
	german := table("007", map[uint32]string{230: "Prozess", 784: "Prozess-ID", 10: "Lesen/s", 12: "Handles"})
	return &machine{text: text, number: number, names: &winperf.Schema{Names: []winperf.NameTable{english, german}}}
}

func (m *machine) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	for _, p := range sel.Paths {
		if p.Object != "Process" && p.Object != "Prozess" {
			return &machineQuery{m: &machine{text: "block", number: m.number, names: m.names}}, nil
		}
	}
	return &machineQuery{m: m}, m.failed
}

func (m *machine) Schema(context.Context) (*winperf.Schema, error) { return m.names, nil }
func (m *machine) Describe() winperf.Description                   { return winperf.Description{Machine: "SECRETHOST"} }
func (m *machine) Close() error                                    { return nil }

type machineQuery struct{ m *machine }

func (q *machineQuery) Next(_ context.Context, s *winperf.Sample) error {
	*q.m.number++
	n := *q.m.number
	text := q.m.text
	if q.m.change != nil {
		text = q.m.change(n).Replace(text)
	}
	text = strings.NewReplacer("NUMBER", strconv.Itoa(n), "TIME", strconv.Itoa(n*1e6)).Replace(text)
	block, err := perfdata.ParseText([]byte(text))
	if err != nil {
		return err
	}
	raw, err := block.Encode()
	if err != nil {
		return err
	}
	s.Begin().Raw = winperf.Raw{Format: winperf.FormatV1, Bytes: raw, Schema: q.m.names}
	s.Schema = q.m.names
	return nil
}

func (q *machineQuery) Close() error { return nil }

const processes = `block name="SECRETHOST" perftime=TIME perffreq=10000000 time100ns=TIME
object 230 time=TIME freq=10000000
  counter 784 PERF_COUNTER_RAWCOUNT
  counter 10 PERF_COUNTER_BULK_COUNT
  counter 12 PERF_COUNTER_RAWCOUNT
  instance "explorer" : 4711 NUMBER 5
  instance "notepad" : 4712 NUMBER 6
  instance "notepad" : 4713 NUMBER 6
  instance "_Total" : 0 NUMBER 17
`

// verified compares two sources that share one clock and count, pass after pass.
func verified(t *testing.T, first, second *machine) *Report {
	t.Helper()
	r := &Report{}
	drivers := []*driver{newDriver("registry:", first), newDriver("perflib:", second)}
	readers := []reader{drivers[0].reader(), drivers[1].reader()}
	tasks := r.tasks(t.Context(), readers)
	var c Comparison
	for pass := range minGauge {
		for i := range tasks {
			r.compareObject(t.Context(), &tasks[i], pass, &c, Options{Keep: true})
		}
	}
	r.Results = c.Results()
	for _, d := range drivers {
		r.checkDriver(t.Context(), d, Options{Keep: true})
	}
	return r
}

func TestDrivers(t *testing.T) {
	n := 0
	r := verified(t, newMachine(t, processes, &n), newMachine(t, processes, &n))
	if r.Differs() || len(r.Skipped) > 0 {
		t.Errorf("%+v", r)
	}
	got := map[string]int{}
	for _, x := range r.Results {
		got[x.Name.String()+" "+string(x.Kind)] += x.Compared
		if x.Base != "registry:" || x.Reader != "perflib:" || x.Outside != 0 {
			t.Errorf("%+v", x)
		}
	}
	// 4 instances in 3 passes; the total is a gauge, and has no rate.
	want := map[string]int{
		`\Process\ID Process gauge`: 12, `\Process\Handles gauge`: 12, `\Process\Reads/sec total`: 9,
		`\Process\Reads/sec gauge`: 3, `\Process\Reads/sec rate`: 6,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	checks := map[string]string{}
	for _, c := range r.Checks {
		checks[c.Name] = c.Detail
	}
	if got := checks["names of perflib: in two languages"]; got != "1 objects found by 2 names in 009 and 007" {
		t.Errorf("%q in %v", got, checks)
	}
	if !strings.HasPrefix(checks["blocks of registry:"], "7 encoded to the same ") {
		t.Errorf("%v", checks)
	}
}

// TestNames: an object that is missing in one answer is looked for once more, because its provider may have
// been busy. One that is missing in two answers was not found.
func TestNames(t *testing.T) {
	const english, german = "Process (009): no such object", "Prozess (007): no such object"
	for missing, want := range []string{"", "", english, english, german} {
		n, left := 0, 0
		m := newMachine(t, processes, &n)
		m.change = func(int) *strings.Replacer {
			if left--; left < 0 {
				return strings.NewReplacer()
			}
			_, object, _ := strings.Cut(processes, "\n")
			return strings.NewReplacer(object, "")
		}
		r, d := &Report{}, newDriver("registry:", m)
		r.tasks(t.Context(), []reader{d.reader()})

		left = missing
		r.checkNames(t.Context(), d)
		if len(r.Checks) != 1 || r.Checks[0].Failed != (want != "") || !strings.Contains(r.Checks[0].Detail, want) {
			t.Errorf("%d answers without the object: %+v", missing, r.Checks)
		}
	}
}

// TestWrongReaders: each way in which a reader can be wrong is found, at the counter and instance where it is.
func TestWrongReaders(t *testing.T) {
	always := func(oldnew ...string) func(int) *strings.Replacer {
		return func(int) *strings.Replacer { return strings.NewReplacer(oldnew...) }
	}
	const (
		handles = `\Process\Handles (notepad) gauge`
		reads   = `\Process\Reads/sec (explorer) total`
		rate    = `\Process\Reads/sec (explorer) rate`
	)
	for _, tt := range []struct {
		name   string
		change func(n int) *strings.Replacer
		want   []string
	}{
		{"off by one", always("4712 NUMBER 6", "4712 NUMBER 7"), []string{handles}},
		{"swapped", always("4711 NUMBER 5", "4712 NUMBER 6", "4712 NUMBER 6", "4711 NUMBER 5"), []string{
			`\Process\Handles (explorer) gauge`, `\Process\ID Process (explorer) gauge`,
		}},
		{"another scale of a gauge", always("4712 NUMBER 6", "4712 NUMBER 6144"), []string{handles}},
		{"another scale of a total", always("4711 NUMBER", "4711 NUMBER000"), []string{rate, reads}},
		{"another clock", always("time=TIME", "time=TIME00", "perftime=TIME", "perftime=TIME00"), []string{rate}},
		{"a stale total", always("4711 NUMBER", "4711 1"), []string{rate, reads}},
		{"a total that falls", func(n int) *strings.Replacer {
			return strings.NewReplacer("4711 NUMBER", fmt.Sprint("4711 ", 1000-n))
		}, []string{reads}},
		{"another type", always("784 PERF_COUNTER_RAWCOUNT", "784 PERF_COUNTER_LARGE_RAWCOUNT"), []string{`\Process\ID Process () gauge`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			other := newMachine(t, processes, &n)
			other.change = tt.change
			if diff := cmp.Diff(tt.want, differing(verified(t, newMachine(t, processes, &n), other))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRightReaders: readers are not wrong because instances begin and end, totals wrap, or clocks are set.
func TestRightReaders(t *testing.T) {
	for name, change := range map[string]func(n int) *strings.Replacer{
		"an instance between two looks": func(n int) *strings.Replacer {
			const last = `  instance "_Total"`
			return strings.NewReplacer(last, map[bool]string{true: `  instance "new" : 99 NUMBER 4` + "\n" + last, false: last}[n%3 == 0])
		},
		"the first of two instances of a name ends": func(n int) *strings.Replacer {
			gone := "4712 NUMBER 6"
			if n > 6 {
				gone = `  instance "notepad" : 4712 NUMBER 6` + "\n"
			}
			return strings.NewReplacer(gone, "", "4713 NUMBER 6", "4713 NUMBER 77")
		},
		"another process of the name": func(n int) *strings.Replacer {
			return strings.NewReplacer(`"explorer" : 4711 NUMBER 5`, fmt.Sprintf(`"explorer" : %d %d 5`, 5000+n, 900-n))
		},
		"a total wraps": func(n int) *strings.Replacer {
			return strings.NewReplacer("10 PERF_COUNTER_BULK_COUNT", "10 PERF_COUNTER_COUNTER",
				"4711 NUMBER", fmt.Sprint("4711 ", uint32(n)-6))
		},
		"the clock is set forward": func(n int) *strings.Replacer {
			return strings.NewReplacer("10 PERF_COUNTER_BULK_COUNT", "10 PERF_100NSEC_TIMER", "time100ns=TIME",
				fmt.Sprint("time100ns=", int64(n+n/7*1000)*1e6))
		},
		"the clock is set back": func(n int) *strings.Replacer {
			return strings.NewReplacer("10 PERF_COUNTER_BULK_COUNT", "10 PERF_100NSEC_TIMER", "time100ns=TIME",
				fmt.Sprint("time100ns=", int64(1000+n-n/7*500)*1e6))
		},
		"a gauge moves at random": func(n int) *strings.Replacer {
			return strings.NewReplacer("4711 NUMBER 5", fmt.Sprint("4711 NUMBER ", 5+n*7%11))
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			a, b := newMachine(t, processes, &n), newMachine(t, processes, &n)
			a.change, b.change = change, change
			if differ := differing(verified(t, a, b)); len(differ) > 0 {
				t.Errorf("%q", differ)
			}
		})
	}
}

func differing(r *Report) (all []string) {
	for _, x := range r.Results {
		if x.Differs {
			all = append(all, x.Name.String()+" ("+x.Instance+") "+string(x.Kind))
		}
	}
	return all
}

// TestSkipped: what cannot be read is not tried again, and the reason is reported.
func TestSkipped(t *testing.T) {
	n := 0
	denied := newMachine(t, processes, &n)
	denied.failed = errors.New("access denied")
	r := verified(t, newMachine(t, processes, &n), denied)
	if len(r.Results) > 0 || len(r.Skipped) != 1 || r.Skipped[0] != (Skip{"perflib:", "access denied"}) {
		t.Errorf("%+v", r)
	}
}

// TestBundle: a bundle has no name of the machine, and a replay of it has the same results.
func TestBundle(t *testing.T) {
	n := 0
	text := processes + `  instance "C:\\Users\\jdoe\\x.exe -h SecretHost.corp" : 9 NUMBER 1` + "\n" +
		`  instance "00:1A:2B:3C:4D:5E" : 10 NUMBER 2` + "\n" + `  instance "node7,_Total" : 11 NUMBER 3` + "\n"
	other := strings.ReplaceAll(text, "4712 NUMBER 6", "4712 NUMBER 7")
	r := verified(t, newMachine(t, text, &n), newMachine(t, other, &n))
	r.Looks = append(r.Looks, &Look{
		Reader: "ps", Object: "Process", Time: time.Now(), text: "explorer",
		Counters: map[Name]*Counter{{"Process", "Handles"}: {Names: []string{"explorer"}, Values: []float64{2.5}}},
	})
	r.skip("something", errors.New(`\\SECRETHOST does not answer`))
	r.skip("registry://files9.corp", errors.New(`\\FILES9\Process(Unseen Program)\Handles: no value`))

	for _, names := range []bool{false, true} {
		files, err := r.Bundle(map[string]string{"windows": "on SecretHost"}, names)
		if err != nil {
			t.Fatal(err)
		}
		var zip bytes.Buffer
		if err := WriteBundle(&zip, files); err != nil {
			t.Fatal(err)
		}
		replayed, err := Replay(t.Context(), bytes.NewReader(zip.Bytes()), int64(zip.Len()))
		if err != nil {
			t.Fatal(err)
		}

		want := r.Results
		for i := range want {
			if x := &replayed.Results[i]; !names && x.Instance != "" {
				if len(x.Instance) != len(want[i].Instance) || x.Instance == want[i].Instance {
					t.Errorf("instance %q became %q", want[i].Instance, x.Instance)
				}
				x.Instance = want[i].Instance
			}
		}
		if diff := cmp.Diff(want, replayed.Results); diff != "" {
			t.Errorf("names %v: %s", names, diff)
		}
		if diff := cmp.Diff(r.Checks, replayed.Checks); diff != "" {
			t.Errorf("names %v: %s", names, diff)
		}

		for _, f := range files {
			found := f.Data
			if strings.HasSuffix(f.Name, ".capture") {
				found = samplesOf(t, f.Data)
			}
			if names {
				continue
			}
			for _, word := range []string{
				"explorer", "notepad", "SECRETHOST", "jdoe", "x.exe", "1A:2B", "node7", "corp", "files9", "unseen",
			} {
				hasNot(t, found, word)
			}
		}
	}
}

// samplesOf returns the bytes of all samples of a capture.
func samplesOf(t *testing.T, b []byte) (all []byte) {
	t.Helper()
	samples, err := readSamples(t.Context(), b)
	if err != nil || len(samples) == 0 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	for _, s := range samples {
		for _, part := range s.Parts {
			all = append(all, part.Block.Bytes...)
		}
	}
	return all
}

// TestReplayDamaged: a damaged bundle is an error that says where.
func TestReplayDamaged(t *testing.T) {
	tests := []struct{ name, findings, looks, want string }{
		{"no zip", "", "", "not a valid zip file"},
		{"no looks", "{}", "", "looks.json"},
		{"no JSON", "{}", "[", "looks.json: bad data"},
		{"no capture", "{}", `[{"Reader":"a:","Sample":0}]`, "look 0 in looks.json: bad data: sample 0 of 0"},
		{"no values", "{}", `[{"Counters":[{"Object":"O","Counter":"C","Instances":["a"]}]}]`, `\O\C has 1 instances and 0 values`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var zip bytes.Buffer
			if tt.findings != "" {
				files := []File{{Name: findingsFile, Data: []byte(tt.findings)}}
				if tt.looks != "" {
					files = append(files, File{Name: looksFile, Data: []byte(tt.looks)})
				}
				if err := WriteBundle(&zip, files); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Replay(t.Context(), bytes.NewReader(zip.Bytes()), int64(zip.Len()))
			if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzReplay: whatever a bundle has, it is compared or refused.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"Checks": [{"Name": "blocks of a:"}]}`), []byte(`[
		{"Reader": "a:", "Object": "O", "Counters": [{"Object": "O", "Counter": "C", "Type": "PERF_COUNTER_BULK_COUNT", "Instances": ["x"], "Raw": [1]}]},
		{"Reader": "b:", "Object": "O", "Counters": [{"Object": "O", "Counter": "C", "Instances": ["x"], "Values": [1.5]}]},
		{"Reader": "a:", "Object": "O", "Counters": [{"Object": "O", "Counter": "C", "Type": "PERF_COUNTER_BULK_COUNT", "Instances": ["x"], "Raw": [2]}]}]`))
	f.Add([]byte(`{}`), []byte(`[
		{"Reader": "a:", "Counters": [{"Object": "O", "Counter": "C", "Instances": ["x"], "Values": [1]}]},
		{"Reader": "b:", "Counters": [{"Object": "O", "Counter": "C", "Instances": ["x", "y"], "Values": [1], "Raw": [2]}]},
		{"Reader": "a:", "Counters": [{"Object": "O", "Counter": "C", "Instances": ["x"], "Values": [2]}]}]`))
	f.Fuzz(func(t *testing.T, findings, looks []byte) {
		var zip bytes.Buffer
		if err := WriteBundle(&zip, []File{{Name: findingsFile, Data: findings}, {Name: looksFile, Data: looks}}); err != nil {
			t.Fatal(err)
		}
		if _, err := Replay(t.Context(), bytes.NewReader(zip.Bytes()), int64(zip.Len())); err != nil && !errors.Is(err, winperf.ErrBadData) {
			t.Error(err)
		}
	})
}
