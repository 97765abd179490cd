package metrics

import (
	"math"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// differs are counters, or words that begin what an object and a counter are called, of which winperf's own unit is
// another than windows_exporter's, each with the reason.
var differs = map[string]string{
	"Processor Information\\Processor Frequency": "MHz is no base unit",
	"Web Service\\Service Uptime":                "their name lacks it",
	"Hyper-V Dynamic Memory VM\\Added Memory":    "their name lacks it",
	"Memory\\Commit Limit":                       "their name lacks it",
	"Network Interface\\Current Bandwidth":       "bytes a second are meant",
	"SQLServer:Databases\\Percent Log Used":      "percent is no base unit",
	"Hyper-V DataStore\\":                        "microseconds are no base unit, and counts of bytes lack it there",

	"VM Processor\\":  "MHz is no base unit",
	"AD FS\\Average ": "the unit is nowhere documented",

	"DirectoryServices\\DS Security Descriptor Propagator Average": "the unit is nowhere documented",
	"SQLServer:Buffer Manager\\Readahead time/sec":                 "documented as microseconds, taken as seconds",
	"SQLServer:Databases\\Log Pool Total":                          "the unit is nowhere documented",
	"SQLServer:Databases\\XTP":                                     "units that newer versions corrected",
	"SQLServer:Database Replica\\Database Flow Control Delay":      "a unit that newer versions corrected",
	"SQLServer:Database Replica\\Group Commit Time":                "a unit that newer versions corrected",
	"Hyper-V Virtual Storage Device\\":                             "units that newer versions corrected",
}

// TestUnitsAgree: winperf's own names give raw counts the unit and the factor that windows_exporter's give them, and
// what only grows is a counter there too.
func TestUnitsAgree(t *testing.T) {
	table, err := tables.WindowsExporter()
	if err != nil {
		t.Fatal(err)
	}

	compared := 0
	for _, b := range table.Blocks {
		for _, r := range b.Rows {
			if b.Kind != tables.Counters || r.Convert.Op != tables.Raw || len(r.Counters) != 1 {
				continue
			}
			name := b.Objects[0].Name + "\\" + r.Counters[0]
			if strings.Contains(name, "%") || isOther(name) {
				continue
			}
			compared++
			compareUnit(t, b.Objects[0].Name, &r)
		}
	}
	if compared < 600 {
		t.Errorf("%d counters compared", compared)
	}
}

func isOther(name string) bool {
	for begin := range differs {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

func compareUnit(t *testing.T, object string, r *tables.Row) {
	t.Helper()
	typ := counter.RawCount
	if _, isRate := withoutRate(r.Counters[0]); isRate {
		typ = counter.BulkCount
	}
	_, got := counterWords(object, r.Counters[0], typ)

	want := ""
	for _, unit := range []string{"bytes", "seconds"} {
		if strings.Contains(r.Metric, "_"+unit) {
			want = unit
		}
	}
	factor := r.Convert.Times / r.Convert.Over
	if got.name != want || want != "" && math.Abs(got.factor()/factor-1) > 1e-12 {
		t.Errorf("%s\\%s is in %q times %v, and theirs in %q times %v: %s",
			object, r.Counters[0], got.name, got.factor(), want, factor, r.Metric)
	}
	if got.grows && r.Type != 'C' {
		t.Errorf("%s\\%s only grows, and theirs does not: %s", object, r.Counters[0], r.Metric)
	}
}
