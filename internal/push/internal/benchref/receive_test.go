package benchref

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/sink/metrics"
)

var (
	taken = time.Date(2026, 11, 23, 5, 0, 0, 123e6, time.UTC)
	began = taken.Add(-time.Hour)
)

// example is a Set with one of everything.
func example() *metrics.Set {
	rows := metrics.NewRows([][]metrics.Label{
		{{Name: "name", Value: "a\"\\\n"}, {Name: "pid", Value: "7"}}, {{Name: "Zone", Value: "z"}, {Name: "name", Value: "b\xffc"}},
	}, []int64{began.UnixNano(), 0})
	single := metrics.NewRows([][]metrics.Label{nil}, nil)
	return &metrics.Set{Time: taken, Families: []metrics.Family{
		{
			Name: "winperf_process_processor_seconds_total", Type: metrics.Counter, Unit: "seconds", Help: "Time.",
			Columns: []metrics.Column{{
				Rows: rows, Form: metrics.Ticks100ns, Bits: []uint64{15_000_001, 20_000_000},
				Extra: []metrics.Label{{Name: "mode", Value: "user"}},
			}},
		},
		{
			Name: "winperf_memory_free_bytes", Type: metrics.Gauge, Unit: "bytes", Help: "Free.",
			Columns: []metrics.Column{{Rows: single, Bits: []uint64{1 << 40}, Time: taken.Add(-time.Minute)}},
		},
		{
			Name: "winperf_disk_read_seconds", Type: metrics.Summary, Unit: "seconds",
			Columns: []metrics.Column{
				{Rows: single, Suffix: "_sum", Form: metrics.Float, Bits: []uint64{math.Float64bits(1.25)}},
				{Rows: single, Suffix: "_count", Bits: []uint64{3}},
			},
		},
	}}
}

// written is what the example is as series.
var written = []string{
	`{__name__="winperf_process_processor_seconds_total", instance="HOST", job="winperf", mode="user", name="a\"\\\n", pid="7"} 1.5000001 1795410000123`,
	`{Zone="z", __name__="winperf_process_processor_seconds_total", instance="HOST", job="winperf", mode="user", name="b` + "\uFFFD" + `c"} 2 1795410000123`,
	`{__name__="winperf_memory_free_bytes", instance="HOST", job="winperf"} 1.099511627776e+12 1795409940123`,
	`{__name__="winperf_disk_read_seconds_sum", instance="HOST", job="winperf"} 1.25 1795410000123`,
	`{__name__="winperf_disk_read_seconds_count", instance="HOST", job="winperf"} 3 1795410000123`,
}

// store keeps what a handler of remote write reads.
type store struct {
	mu     sync.Mutex
	series []string
	meta   []string
	each   func(labels.Labels, float64) // if not nil, is told each series
}

// Store implements the storage of remote.NewWriteHandler.
func (s *store) Store(r *http.Request, kind remote.WriteMessageType) (*remote.WriteResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	response := remote.NewWriteResponse()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return response, err
	}

	var stats remote.WriteResponseStats
	if kind == remote.WriteV1MessageType {
		err = s.first(body)
	} else {
		err = s.second(body, &stats)
	}
	response.Add(stats)
	return response, err
}

func (s *store) first(body []byte) error {
	var q prompb.WriteRequest
	if err := q.Unmarshal(body); err != nil {
		return err
	}
	var b labels.ScratchBuilder
	for _, ts := range q.Timeseries {
		s.add(ts.ToLabels(&b, nil), ts.Samples[0].Value, ts.Samples[0].Timestamp)
	}
	for _, m := range q.Metadata {
		s.meta = append(s.meta, fmt.Sprintf("%s %v %s %s", m.MetricFamilyName, m.Type, m.Help, m.Unit))
	}
	return nil
}

func (s *store) second(body []byte, stats *remote.WriteResponseStats) error {
	var q writev2.Request
	if err := q.Unmarshal(body); err != nil {
		return err
	}
	b := labels.NewScratchBuilder(0)
	for _, ts := range q.Timeseries {
		ls, err := ts.ToLabels(&b, q.Symbols)
		if err != nil {
			return err
		}
		s.add(ls, ts.Samples[0].Value, ts.Samples[0].Timestamp)
		m := ts.ToMetadata(q.Symbols)
		s.meta = append(s.meta, fmt.Sprintf("%s %s %s %d", m.Type, m.Help, m.Unit, ts.Samples[0].StartTimestamp))
		stats.Samples++
	}
	return nil
}

func (s *store) add(ls labels.Labels, value float64, ms int64) {
	if s.each != nil {
		s.each(ls, value)
	}
	names := []string{}
	ls.Range(func(l labels.Label) { names = append(names, l.Name) })
	text := ls.String()
	if !slices.IsSorted(names) {
		text = "not sorted: " + text
	}
	s.series = append(s.series, fmt.Sprintf("%s %v %d", text, value, ms))
}

// Both versions are what the handler and the messages of Prometheus' own libraries read; one that
// takes 1.0 only gets that.
func TestRemoteWrite(t *testing.T) {
	for _, c := range []struct {
		takes remote.MessageTypes
		meta  []string
	}{
		{remote.MessageTypes{remote.WriteV2MessageType, remote.WriteV1MessageType}, []string{
			"counter Time. seconds 1795406400123", "counter Time. seconds 0", "gauge Free. bytes 0",
			"summary  seconds 0", "summary  seconds 0",
		}},
		{remote.MessageTypes{remote.WriteV1MessageType}, []string{
			"winperf_process_processor_seconds_total COUNTER Time. seconds", "winperf_memory_free_bytes GAUGE Free. bytes",
			"winperf_disk_read_seconds SUMMARY  seconds",
		}},
	} {
		kept := &store{}
		server := httptest.NewServer(remote.NewWriteHandler(kept, c.takes))
		ls, _ := push.Identity("HOST", "linux", "1.0")
		sender, err := push.NewSender(push.Target{URL: "remote-write+" + server.URL, Labels: ls}, push.SenderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first time it may be to be sent again
			if err = sendAll(t.Context(), sender, example()); err == nil {
				break
			}
		}
		if counts := sender.Counts(); err != nil || counts.Sent != 5 || counts.Refused+counts.Retries > 0 {
			t.Errorf("%v: %v, %+v", c.takes, err, counts)
		}
		if diff := cmp.Diff(written, kept.series); diff != "" {
			t.Errorf("%v:\n%s", c.takes, diff)
		}
		if diff := cmp.Diff(c.meta, kept.meta); diff != "" {
			t.Errorf("%v:\n%s", c.takes, diff)
		}
		sender.Close()
		server.Close()
	}
}

func sendAll(ctx context.Context, s *push.Sender, set *metrics.Set) error {
	if _, err := s.Send(ctx, set); err != nil {
		return err
	}
	return s.Flush(ctx)
}

// OpenTelemetry's own receiver reads what is sent by OTLP.
func TestOTLP(t *testing.T) {
	got := &consumertest.MetricsSink{}
	url := receiver(t, got)
	_, resource := push.Identity("HOST", "linux", "1.0")
	sender, err := push.NewSender(push.Target{URL: "otlp+" + url, Resource: resource}, push.SenderOptions{Version: "1.0"})
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	set := example()
	set.Families = append(set.Families, metrics.Family{
		Name: "process.memory.usage", Type: metrics.Gauge, Unit: "By", Additive: true,
		Columns: []metrics.Column{{
			Rows: metrics.NewRows([][]metrics.Label{{{Name: "process.pid", Value: "7"}}}, nil), Bits: []uint64{4096},
		}},
	})
	if err := sendAll(t.Context(), sender, set); err != nil {
		t.Fatal(err)
	}
	if c := sender.Counts(); c.Sent != 5 || c.Refused+c.Retries > 0 {
		t.Errorf("%+v", c)
	}

	want := []string{
		"map[host.name:HOST os.type:linux service.instance.id:HOST service.name:winperf service.version:1.0] winperf 1.0",
		`winperf_process_processor_seconds Sum s Time. Cumulative true map[mode:user name:a"\` + "\n" + ` pid:7] 1.5000001 0s -1h0m0s`,
		"winperf_process_processor_seconds Sum s Time. Cumulative true map[Zone:z mode:user name:b\uFFFDc] 2 0s 0s",
		"winperf_memory_free_bytes Gauge By Free. map[] 1099511627776 -1m0s unknown",
		"winperf_disk_read_seconds Summary s  map[] 1.25 3 0s 0s",
		"process.memory.usage Sum By  Cumulative false map[process.pid:7] 4096 0s unknown",
	}
	var lines []string
	for _, all := range got.AllMetrics() {
		lines = append(lines, text(all)...)
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// receiver starts OpenTelemetry's receiver on this machine and returns its URL.
func receiver(t *testing.T, to *consumertest.MetricsSink) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	conf := confmap.NewFromStringMap(map[string]any{
		"protocols": map[string]any{"http": map[string]any{"endpoint": address}},
	})
	if err := conf.Unmarshal(config); err != nil {
		t.Fatal(err)
	}
	r, err := factory.CreateMetrics(t.Context(), receivertest.NewNopSettings(factory.Type()), config, to)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return "http://" + address
}

// text writes metrics as lines.
func text(all pmetric.Metrics) (lines []string) {
	for _, rm := range all.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			lines = append(lines, fmt.Sprint(rm.Resource().Attributes().AsRaw(), " ", sm.Scope().Name(), " ", sm.Scope().Version()))
			for _, m := range sm.Metrics().All() {
				lines = append(lines, metricText(m)...)
			}
		}
	}
	return lines
}

func metricText(m pmetric.Metric) (lines []string) {
	head := strings.Join([]string{m.Name(), m.Type().String(), m.Unit(), m.Description()}, " ")
	switch m.Type() {
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			of := fmt.Sprint(" ", m.Sum().AggregationTemporality(), " ", m.Sum().IsMonotonic(), " ", p.Attributes().AsRaw(), " ", number(p))
			lines = append(lines, head+of+times(p.Timestamp(), p.StartTimestamp()))
		}
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			of := fmt.Sprint(" ", p.Attributes().AsRaw(), " ", number(p))
			lines = append(lines, head+of+times(p.Timestamp(), p.StartTimestamp()))
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			of := fmt.Sprint(" ", p.Attributes().AsRaw(), " ", p.Sum(), " ", p.Count())
			lines = append(lines, head+of+times(p.Timestamp(), p.StartTimestamp()))
		}
	}
	return lines
}

func number(p pmetric.NumberDataPoint) any {
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return p.IntValue()
	}
	return p.DoubleValue()
}

func times(at, start pcommon.Timestamp) string {
	if start == 0 {
		return fmt.Sprint(" ", at.AsTime().Sub(taken), " unknown")
	}
	return fmt.Sprint(" ", at.AsTime().Sub(taken), " ", start.AsTime().Sub(taken))
}
