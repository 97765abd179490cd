package metrics

import (
	"fmt"
	"strings"
	"testing"
)

// TestCountersNeverFall feeds falling values of each kind of counter. A correction keeps the value; a reset, another
// instance and a restart of the machine remain visible.
func TestCountersNeverFall(t *testing.T) {
	const (
		head    = "block name=\"HOST\" perftime=%d perffreq=10000000 time100ns=133500000000000000\n"
		faults  = `winperf_process_page_faults_total{name="a",pid="8"} `
		ofStart = ` instance "a" : %s 1334000000000000%s 8` + "\n"
		idle    = `winperf_thing_idle_inactive_seconds_total{name="x"} `
		events  = `winperf_thing_events_total{name="x"} `
	)
	for name, tt := range map[string]struct {
		typ      string   // of one counter; "" for a process
		values   []string // one or two for each sample; "?" is missing
		perftime []int
		prefix   string
		want     []string
	}{
		"a correction":                {"0x10410500", []string{"1000", "990", "995", "1001"}, nil, events, []string{"1000", "1000", "1000", "1001"}},
		"a correction by a half":      {"0x10410500", []string{"1000", "500", "700"}, nil, events, []string{"1000", "1000", "1000"}},
		"a reset":                     {"0x10410500", []string{"1000", "499", "700"}, nil, events, []string{"1000", "499", "700"}},
		"a reset to zero":             {"0x10410500", []string{"1", "0", "1"}, nil, events, []string{"1", "0", "1"}},
		"a missing value":             {"0x10410500", []string{"1000", "?7", "990", "1001"}, nil, events, []string{"1000", "", "1000", "1001"}},
		"a restart of the machine":    {"0x10410500", []string{"1000", "990", "1001"}, []int{10, 5, 6}, events, []string{"1000", "990", "1001"}},
		"beyond 2^32":                 {"0x10410400", []string{"4294967290", "100", "90", "101"}, nil, events, []string{"4294967290", "4294967396", "4294967396", "4294967397"}},
		"times":                       {"0x21510500", []string{"50000000", "49999999", "50000001"}, nil, idle, []string{"5", "5", "5.0000001"}},
		"a process, far":              {"", []string{"1000 00", "3 00", "999 00", "1001 00"}, nil, faults, []string{"1000", "1000", "1000", "1001"}},
		"another process of the name": {"", []string{"1000 00", "999 70", "1000 70"}, nil, faults, []string{"1000", "999", "1000"}},
	} {
		n := names(t, map[uint32]string{1000: "Thing", 1002: "Events/sec", 230: "Process", 28: "Page Faults/sec", 684: "Elapsed Time", 784: "ID Process"})
		if tt.prefix == idle {
			n = names(t, map[uint32]string{1000: "Thing", 1002: "% Idle"})
		}
		var texts []string
		for i, value := range tt.values {
			perf := i
			if tt.perftime != nil {
				perf = tt.perftime[i]
			}
			text := fmt.Sprintf(head, perf)
			if tt.typ == "" {
				faults, start, _ := strings.Cut(value, " ")
				text += processHead + fmt.Sprintf(ofStart, faults, start)
			} else {
				text += "object 1000 missing=auto\n counter 1002 " + tt.typ + "\n instance \"x\" : " + value + "\n"
			}
			texts = append(texts, text)
		}

		m := NewMapper(Options{})
		var got []string
		for _, f := range frames(t, texts...) {
			value := ""
			for _, line := range lines(mapped(t, m, f, n)) {
				if rest, ok := strings.CutPrefix(line, tt.prefix); ok {
					value = rest
				}
			}
			got = append(got, value)
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestHeldMoves follows a held value to another place among the instances, and for an average.
func TestHeldMoves(t *testing.T) {
	const head = "object 1000\n counter 1002 PERF_AVERAGE_BULK\n counter 1004 PERF_AVERAGE_BASE\n"
	n := names(t, map[uint32]string{1000: "Thing", 1002: "Bytes of Size", 1004: "Base"})
	fs := frames(t,
		at0+head+` instance "a" : 10 1`+"\n"+` instance "b" : 1000 20`+"\n",
		at0+head+` instance "b" : 900 19`+"\n"+` instance "c" : 950 5`+"\n",
		at0+head+` instance "c" : 951 6`+"\n"+` instance "b" : 950 20`+"\n")
	m := NewMapper(Options{})
	for i, f := range fs {
		got := lines(mapped(t, m, f, n))
		text := strings.Join(got, "\n") + "\n"
		if !strings.Contains(text, `{name="b"} 1000`+"\n") || !strings.Contains(text, `{name="b"} 20`+"\n") {
			t.Errorf("sample %d:\n%s", i, text)
		}
		if i > 0 && !strings.Contains(text, fmt.Sprintf("{name=\"c\"} %d\n", 949+i)) {
			t.Errorf("sample %d:\n%s", i, text)
		}
	}
}

// TestHeldContinues: a Mapper that continues another one keeps its values, too; those of other series fall.
func TestHeldContinues(t *testing.T) {
	const head = "block name=\"HOST\" perftime=%d perffreq=10000000 time100ns=133500000000000000\nobject 1000\n counter 1002 0x10410500\n"
	n := names(t, map[uint32]string{1000: "Thing", 1002: "Events/sec"})
	var texts []string
	for i, values := range [][]string{{"1000", "7"}, {"990", "8"}, {"995", "9"}, {"999", "10"}, {"1001", "11"}} {
		texts = append(texts, fmt.Sprintf(head, i)+` instance "x" : `+values[0]+"\n"+` instance "y" : `+values[1]+"\n")
	}
	fs := frames(t, texts...)

	m := NewMapper(Options{})
	mapped(t, m, fs[0], n)
	mapped(t, m, fs[1], n)
	var got []string
	for _, f := range fs[2:] {
		next := NewMapper(Options{})
		if err := next.Continue(m); err != nil {
			t.Fatal(err)
		}
		m = next
		got = append(got, lines(mapped(t, m, f, n))...)
	}
	const x, y = `winperf_thing_events_total{name="x"} `, `winperf_thing_events_total{name="y"} `
	want := []string{x + "1000", y + "9", x + "1000", y + "10", x + "1001", y + "11"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}
