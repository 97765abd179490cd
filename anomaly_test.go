package winperf_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

func TestAnomalyString(t *testing.T) {
	a := winperf.Anomaly{Kind: winperf.ProviderFailed, Source: "host", ObjectName: "Disk", Detail: "open", Err: errors.New("no file"), Action: "not asked for 1s"}
	if got, want := a.String(), "provider_failed: host: Disk: open: no file (not asked for 1s)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := (winperf.Anomaly{}).String(), "buffer_grew"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Every kind has a word of its own, and a set holds what was put into it.
func TestAnomalyKinds(t *testing.T) {
	var all winperf.AnomalySet
	var words []string
	for k := winperf.BufferGrew; k <= winperf.SourceFailed; k++ {
		text, err := k.MarshalText()
		if err != nil || string(text) != k.String() || len(text) == 0 || slices.Contains(words, string(text)) {
			t.Errorf("kind %d: %q, %v", k, text, err)
		}
		words = append(words, string(text))
		if parsed, known := winperf.ParseAnomalyKind(string(text)); parsed != k || !known {
			t.Errorf("%s is %v, %v", text, parsed, known)
		}
		if all.Has(k) {
			t.Errorf("%v is in %v", k, all)
		}
		all = all.With(k)
		if one := winperf.AnomalySet(0).With(k); !one.Has(k) || one.String() != k.String() {
			t.Errorf("a set of %v holds %v", k, one)
		}
	}
	if all.String() != strings.Join(words, ",") {
		t.Errorf("the set of all holds %v", all)
	}
	if _, known := winperf.ParseAnomalyKind("anomaly_99"); known {
		t.Error("the word of no kind is known")
	}
	if got := winperf.AnomalyKind(99).String(); got != "anomaly_99" {
		t.Errorf("an unknown kind is %q", got)
	}
}

// Of many instances the first are shown.
func TestAnomalyInstances(t *testing.T) {
	names := strings.Fields("a b c d e f g h i")
	for n, want := range map[int]string{
		0: "instances_came", 1: "instances_came: a", 2: "instances_came: 2 instances: a, b",
		8: "instances_came: 8 instances: a, b, c, d, e, f, g, h", 9: "instances_came: 9 instances: a, b, c, d, e, f, g, h, ...",
	} {
		a := winperf.Anomaly{Kind: winperf.InstancesAdded, Instances: names[:n]}
		if got := a.String(); got != want {
			t.Errorf("%d instances: %s, want %s", n, got, want)
		}
	}
}

func ExampleAnomaly() {
	a := winperf.Anomaly{Kind: winperf.InstancesAdded, ObjectName: "Process", Instances: []string{"editor", "shell#1"}}
	fmt.Println(a)
	r := winperf.Reading{Anomalies: winperf.AnomalySet(0).With(a.Kind).With(winperf.SampleLate)}
	fmt.Println(r.Anomalies, r.Anomalies.Has(winperf.ClockBack))
	// Output:
	// instances_came: Process: 2 instances: editor, shell#1
	// instances_came,sample_late false
}
