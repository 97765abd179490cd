package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// TestDumpRawNames dumps instances that have no name as such, though paths call them by
// their unique id or their position.
func TestDumpRawNames(t *testing.T) {
	const text = `block name="H"
object 238
  counter 6 PERF_COUNTER_RAWCOUNT
  instance "" id=7 : 1
  instance "" : 2
  instance "a" : 3
`
	block, err := perfdata.ParseText([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(file, bytes, 0o600); err != nil {
		t.Fatal(err)
	}

	got := run(t, "dump", file, "-o", "json")
	for _, want := range []string{
		`{"name":"","parent":null,"unique_id":7,"raw":[1]}`,
		`{"name":"","parent":null,"unique_id":-1,"raw":[2]}`,
		`{"name":"a","parent":null,"unique_id":-1,"raw":[3]}`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

// TestDumpSets shows a sample of two interfaces as text: a performance data block and, behind
// it, counter sets, as this machine is read on Windows.
func TestDumpSets(t *testing.T) {
	set := winperf.GUID{1}
	info := counterset.AppendInfo(nil, &counterset.Info{GUID: set, InstanceType: counterset.FlagMultiple,
		Counters: []counterset.CounterInfo{
			{ID: 1, Type: counter.RawCount, Base: counterset.None, Multi: counterset.None,
				PerfTime: counterset.None, PerfFreq: counterset.None},
			{ID: 7, Type: counter.LargeRawCount, Base: counterset.None, Multi: counterset.None,
				PerfTime: counterset.None, PerfFreq: counterset.None},
		}})
	table, err := nametable.FromMap(nametable.Mixed, map[uint32]string{100: "Queue", 102: "Length",
		1000: "Pool", 1002: "Free", 1004: "Size\n#"})
	if err != nil {
		t.Fatal(err)
	}
	schema := &winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)},
		Sets: []winperf.CounterSet{{GUID: set, Title: 1000, Info: info}}}

	b, err := counterset.AppendData(nil, &counterset.Data{
		Clocks: counter.Clocks{PerfTime: 5, PerfFreq: 1000, Time100ns: 133500000000000000},
		Answers: []counterset.Answer{{Form: counterset.FullSet, Counters: []uint32{1, 7}, Instances: []counterset.Instance{
			{InstanceName: counterset.InstanceName{Name: "a b", ID: 3}, Values: []counterset.Value{{Size: 4, Bits: 2}, {Size: 8, Bits: 9}}},
			{Values: []counterset.Value{{Size: 4, Bits: 1}, {}}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []counterset.Identifier{
		{Instance: "HOST"}, {Set: set, Counter: counterset.Any, InstanceID: counterset.Any, Instance: "*"},
	} {
		if b, err = counterset.AppendIdentifier(b, id); err != nil {
			t.Fatal(err)
		}
	}
	old, err := perfdata.ParseText([]byte("block name=\"HOST\" perffreq=1000 time100ns=133500000000000000\n" +
		"object 100 form=single\n counter 102 PERF_COUNTER_RAWCOUNT\n values : 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	v1, err := old.Encode()
	if err != nil {
		t.Fatal(err)
	}

	var out bytes.Buffer
	w := capture.NewWriter(&out, capture.Options{})
	err = w.Write(&winperf.Sample{Schema: schema, Parts: []winperf.Part{
		{Name: "registry", Block: winperf.Raw{Format: winperf.FormatV1, Bytes: v1}.Block()},
		{Name: "perflib", Block: winperf.Raw{Format: winperf.FormatV2, Bytes: b}.Block()},
	}})
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "sets.capture")
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}

	sets := `sets name="HOST" perftime=5 perffreq=1000 time100ns=133500000000000000
set {00000001-0000-0000-0000-000000000000} title=1000 # "Pool"
  counter 1 PERF_COUNTER_RAWCOUNT title=1002 size=4 # "Free"
  counter 7 PERF_COUNTER_LARGE_RAWCOUNT title=1004 size=8 # "Size\n#"
  instance "a b" id=3 : 2 9
  instance "" id=0 : 1 ?
`
	if got := string(run(t, "dump", file, "-o", "text")); !strings.HasPrefix(got, "block ") || !strings.HasSuffix(got, "\n\n"+sets) {
		t.Errorf("got:\n%s\nwant a block and\n%s", got, sets)
	}
	if got := string(run(t, "dump", file, "--object", "Pool")); got != sets {
		t.Errorf("got:\n%s\nwant:\n%s", got, sets)
	}
	if got := string(run(t, "dump", file, "--object", "Queue")); strings.Contains(got, "set") || !strings.HasPrefix(got, "block ") {
		t.Errorf("Queue:\n%s", got)
	}
}
