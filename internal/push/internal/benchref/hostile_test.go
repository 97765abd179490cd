package benchref

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// What a system could call things: halves of surrogate pairs are U+FFFD when they are read.
var hostile = []string{
	"\"", `\`, `\n`, "a\nb", "\r", "\t", "\u202eevil\u2066", "\uFFFD", "\uFFFD", "a", "A", "a#1", "}", "} 7", "# EOF", "\n# EOF\n",
	`a",b="c`, " ", "  a ", "\u0085", "\u2028", "\uFEFF", "é", "e\u0301", "\U0010FFFF", "<script>", "__name__", "\x7f\x1b[2J",
	strings.Repeat("ü", 32_000),
}

// The names of three objects are one in a metric, and so are those of their counters.
var hostileTitles = map[uint32]string{
	2: "Ob ject\"\\", 4: "ob_ject", 6: "OB-JECT\u202e\n", 10: "Count er/sec", 12: "count_er/sec", 14: "\u8a08\u6570", 16: "\"",
	18: "Elapsed Time",
}

// hostileSet is a Set of instances with hostile names and parents. Every value of it is another one,
// and given is what each is the value of: the name, the parent.
func hostileSet(t *testing.T) (set *metrics.Set, given map[string][2]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("block name=\"HOST\" perftime=1000 perffreq=10000000 time100ns=134400000000000000\n")
	given, next := map[string][2]string{}, 0
	for _, title := range []int{2, 4, 6} {
		fmt.Fprintf(&b, "object %d\n counter 10 PERF_COUNTER_BULK_COUNT\n counter 12 PERF_COUNTER_BULK_COUNT\n"+
			" counter 14 PERF_COUNTER_RAWCOUNT\n counter 16 PERF_COUNTER_LARGE_RAWCOUNT\n", title)
		for i, name := range hostile {
			parent, of := "", ""
			if title > 2 {
				at := (i * 7) % len(hostile)
				parent, of = fmt.Sprintf(" parent=2 position=%d", at), hostile[at]
			}
			fmt.Fprintf(&b, " instance %q%s :", name, parent)
			for range 4 {
				next++
				fmt.Fprintf(&b, " %d", next)
				given[fmt.Sprint(next)] = [2]string{name, of}
			}
			b.WriteString("\n")
		}
	}

	block, err := perfdata.ParseText([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	table, err := nametable.FromMap(nametable.Counter, hostileTitles)
	if err != nil {
		t.Fatal(err)
	}
	names, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}})
	f, err := new(frame.Pool).Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: raw}.Sample(), frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	set, err = metrics.NewMapper(metrics.Options{}).Map(f, names)
	if err != nil {
		t.Fatal(err)
	}
	return set, given
}

// TestHostileNames sends a Set with hostile names through every output, and reads it as those do who
// receive it: all find the same series, no one twice, and each value under the name it was given with.
func TestHostileNames(t *testing.T) {
	set, given := hostileSet(t)
	want := read(t, set, prometheus.Text)
	if len(want) != len(given) {
		t.Errorf("%d series of %d values", len(want), len(given))
	}
	for series, value := range want {
		ls := series.labels()
		if of := given[value]; ls.Get("name") != of[0] || ls.Get("parent") != of[1] {
			t.Errorf("%.200q is the value of %.200q", series, of)
		}
	}

	for name, got := range map[string]map[seriesKey]string{
		"OpenMetrics":      read(t, set, prometheus.OpenMetrics),
		"remote write 1.0": sent(t, set, remote.WriteV1MessageType),
		"remote write 2.0": sent(t, set, remote.WriteV2MessageType),
		"OTLP":             exported(t, set),
	} {
		if name == "OTLP" { // whose counters have no _total
			got = renamed(got, want)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %.2000s", name, diff)
		}
	}
}

// seriesKey is a series as its names and values of labels, with NUL between them.
type seriesKey string

func keyOf(ls labels.Labels) seriesKey {
	var b strings.Builder
	ls.Range(func(l labels.Label) {
		if l.Name != "job" && l.Name != "instance" {
			b.WriteString(l.Name + "\x00" + l.Value + "\x00")
		}
	})
	return seriesKey(b.String())
}

func (k seriesKey) labels() labels.Labels {
	return labels.FromStrings(strings.Split(strings.TrimSuffix(string(k), "\x00"), "\x00")...)
}

// put notes a series, which must be new.
func put(t *testing.T, all map[seriesKey]string, ls labels.Labels, value float64) {
	t.Helper()
	key := keyOf(ls)
	if _, twice := all[key]; twice {
		t.Errorf("%.300q is there twice", key)
	}
	all[key] = fmt.Sprint(value)
}

// read is what Prometheus' parser of scrapes finds.
func read(t *testing.T, set *metrics.Set, format prometheus.Format) map[seriesKey]string {
	t.Helper()
	var text bytes.Buffer
	if err := prometheus.NewEncoder(prometheus.Options{Format: format}).Encode(&text, set); err != nil {
		t.Fatal(err)
	}
	p, err := textparse.New(text.Bytes(), format.ContentType(), labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}

	all := map[seriesKey]string{}
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry == textparse.EntrySeries {
			var ls labels.Labels
			p.Labels(&ls)
			_, _, value := p.Series()
			put(t, all, ls, value)
		}
	}
}

// sent is what a handler of remote write gets.
func sent(t *testing.T, set *metrics.Set, version remote.WriteMessageType) map[seriesKey]string {
	t.Helper()
	kept := &keyed{t: t, store: &store{}, all: map[seriesKey]string{}}
	kept.store.each = kept.put
	server := httptest.NewServer(remote.NewWriteHandler(kept.store, remote.MessageTypes{version}))
	defer server.Close()
	sender, err := push.NewSender(push.Target{URL: "remote-write+" + server.URL}, push.SenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	for range 2 { // the first time it may be to be sent again
		if err = sendAll(t.Context(), sender, set); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept.all
}

// keyed keeps series by their labels.
type keyed struct {
	t     *testing.T
	store *store
	all   map[seriesKey]string
}

func (k *keyed) put(ls labels.Labels, value float64) { put(k.t, k.all, ls, value) }

// exported is what OpenTelemetry's receiver gets.
func exported(t *testing.T, set *metrics.Set) map[seriesKey]string {
	t.Helper()
	got := &consumertest.MetricsSink{}
	sender, err := push.NewSender(push.Target{URL: "otlp+" + receiver(t, got)}, push.SenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	if err := sendAll(t.Context(), sender, set); err != nil {
		t.Fatal(err)
	}

	all := map[seriesKey]string{}
	for _, ms := range got.AllMetrics() {
		for _, m := range ms.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			for _, p := range points(m).All() {
				of := map[string]string{"__name__": m.Name()}
				for name, v := range p.Attributes().AsRaw() {
					of[name] = fmt.Sprint(v)
				}
				put(t, all, labels.FromMap(of), float64(p.IntValue()))
			}
		}
	}
	return all
}

func points(m pmetric.Metric) pmetric.NumberDataPointSlice {
	if m.Type() == pmetric.MetricTypeSum {
		return m.Sum().DataPoints()
	}
	return m.Gauge().DataPoints()
}

// renamed gives the series that lack it their _total.
func renamed(got, want map[seriesKey]string) map[seriesKey]string {
	all := map[seriesKey]string{}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		b := labels.NewBuilder(key.labels())
		b.Set("__name__", key.labels().Get("__name__")+"_total")
		total := keyOf(b.Labels())
		if _, there := want[total]; !there {
			total = key
		}
		all[total] = got[key]
	}
	return all
}
