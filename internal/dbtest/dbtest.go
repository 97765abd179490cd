// Package dbtest is for tests only. It runs the metrics databases of Debian on this machine, and
// reads their contents.
package dbtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Database is a running metrics database.
type Database struct {
	// URL is its address, http://127.0.0.1:PORT.
	URL string

	t       testing.TB
	program string
	args    []string
	ready   string
	cmd     *exec.Cmd
	log     *os.File
}

// VictoriaMetrics starts a VictoriaMetrics that keeps samples of the last hundred years. Without
// the program the test is skipped, or fails if CI is true.
func VictoriaMetrics(t testing.TB) *Database {
	t.Helper()
	d := newDatabase(t, "victoria-metrics", "/health")
	d.args = []string{
		"-storageDataPath=" + filepath.Join(t.TempDir(), "data"), "-retentionPeriod=100y",
		"-httpListenAddr=" + strings.TrimPrefix(d.URL, "http://"), "-memory.allowedBytes=64MB",
	}
	d.Start()
	return d
}

// Prometheus starts a Prometheus that accepts remote write.
func Prometheus(t testing.TB) *Database {
	t.Helper()
	return PrometheusWith(t, t.TempDir(), "")
}

// CurrentPrometheus starts the Prometheus whose file name is in WINPERF_PROMETHEUS. It must be
// newer than Debian's, with remote write 2.0 and OTLP. Without the variable the test is skipped.
func CurrentPrometheus(t testing.TB) *Database {
	t.Helper()
	return CurrentPrometheusWith(t, t.TempDir(), "")
}

// CurrentPrometheusWith is like CurrentPrometheus, with a configuration, in which file names are relative to
// dir.
func CurrentPrometheusWith(t testing.TB, dir, text string) *Database {
	t.Helper()
	program := os.Getenv("WINPERF_PROMETHEUS")
	if program == "" {
		t.Skip("WINPERF_PROMETHEUS names no current Prometheus; scripts/soak prometheus builds one")
	}
	return startPrometheus(t, program, dir, text, newData(t), "--web.enable-otlp-receiver")
}

// PrometheusWith starts a Prometheus with a configuration, in which file names are relative to dir.
func PrometheusWith(t testing.TB, dir, text string) *Database {
	t.Helper()
	return startPrometheus(t, "prometheus", dir, text, newData(t))
}

// PrometheusOf starts a Prometheus with the blocks in a directory.
func PrometheusOf(t testing.TB, data string) *Database {
	t.Helper()
	return startPrometheus(t, "prometheus", t.TempDir(), "", data)
}

// newData returns a directory for a new database.
func newData(t testing.TB) string { return filepath.Join(t.TempDir(), "data") }

func startPrometheus(t testing.TB, program, dir, text, data string, more ...string) *Database {
	t.Helper()
	d := newDatabase(t, program, "/-/ready")
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d.args = []string{
		"--config.file=" + config, "--storage.tsdb.path=" + data,
		"--storage.tsdb.retention.time=100y", "--web.enable-remote-write-receiver", "--log.level=warn",
		"--web.listen-address=" + strings.TrimPrefix(d.URL, "http://"),
	}
	d.args = append(d.args, more...)
	d.Start()
	return d
}

func newDatabase(t testing.TB, program, ready string) *Database {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if runtime.GOOS == "linux" && os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("%s is not installed", program)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	log, err := os.Create(filepath.Join(t.TempDir(), filepath.Base(program)+".log"))
	if err != nil {
		t.Fatal(err)
	}
	d := &Database{URL: "http://" + l.Addr().String(), t: t, program: program, ready: ready, log: log}
	t.Cleanup(func() {
		d.Stop()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s said:\n%s", program, text)
		}
		_ = log.Close() // the program has ended
	})
	return d
}

// Start starts the database on its data.
func (d *Database) Start() {
	d.t.Helper()
	d.cmd = exec.Command(d.program, d.args...)
	d.cmd.Stdout, d.cmd.Stderr = d.log, d.log
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	for range 600 {
		if r, err := http.Get(d.URL + d.ready); err == nil {
			_ = r.Body.Close() // only the status matters
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	d.t.Fatalf("%s does not answer", d.program)
}

// Stop interrupts the program, which then writes its data, and waits for its end. A second Stop
// does nothing.
func (d *Database) Stop() {
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Signal(os.Interrupt) // fails if it has ended
	_ = d.cmd.Wait()                       // its exit status does not matter
	d.cmd = nil
}

// Kill kills the program, as the system does when memory runs out, and waits for its end. Start
// restarts it with the data that it had written.
func (d *Database) Kill() {
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Kill() // fails if it has ended
	_ = d.cmd.Wait()
	d.cmd = nil
}

// Samples are values by series and time: {__name__="x", a="b"} 1795410000123.
type Samples map[string]float64

// add adds a series without the labels that the sender adds.
func (s Samples) add(labels map[string]string, ms int64, value float64) {
	s[fmt.Sprintf("%s %d", labelText(labels), ms)] = value
}

// labelText returns labels as text, without the labels that the sender adds.
func labelText(labels map[string]string) string {
	var parts []string
	for name, v := range labels {
		if name != "job" && name != "instance" {
			parts = append(parts, name+"="+strconv.Quote(v))
		}
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

// Exported returns all samples in VictoriaMetrics that winperf sent.
func (d *Database) Exported() Samples {
	d.t.Helper()
	return d.ExportedOf(`{job="winperf"}`)
}

// ExportedOf returns all samples in VictoriaMetrics of the series that match.
func (d *Database) ExportedOf(match string) Samples {
	d.t.Helper()
	d.get("/internal/force_flush") // otherwise it shows them some seconds later
	body := d.get("/api/v1/export?" + url.Values{"match[]": {match}, "reduce_mem_usage": {"1"}}.Encode())

	samples := Samples{}
	for line := range strings.Lines(body) {
		var series struct {
			Metric     map[string]string
			Values     []*float64 // null is not a number
			Timestamps []int64
		}
		if err := json.Unmarshal([]byte(line), &series); err != nil {
			d.t.Fatal(err)
		}

		for i, ms := range series.Timestamps {
			value := math.NaN()
			if v := series.Values[i]; v != nil {
				value = *v
			}
			samples.add(series.Metric, ms, value)
		}
	}

	return samples
}

// Queried returns the samples in Prometheus that winperf sent, in a period before an end.
func (d *Database) Queried(end time.Time, before time.Duration) Samples {
	d.t.Helper()
	query := url.Values{
		"query": {fmt.Sprintf(`{job="winperf"}[%ds]`, int(before.Seconds()))}, "time": {fmt.Sprint(end.Unix())},
	}
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Values [][2]any
			}
		}
	}
	if err := json.Unmarshal([]byte(d.get("/api/v1/query?"+query.Encode())), &answer); err != nil {
		d.t.Fatal(err)
	}

	samples := Samples{}
	for _, series := range answer.Data.Result {
		for _, v := range series.Values {
			seconds, _ := v[0].(float64)
			text, _ := v[1].(string)
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				d.t.Fatal(err)
			}
			samples.add(series.Metric, int64(math.Round(seconds*1000)), value)
		}
	}
	return samples
}

// Instant is a series and its value at one moment.
type Instant struct {
	Labels map[string]string
	Value  float64
}

// Query returns the result of an expression in Prometheus' API now. The error is the API's.
func (d *Database) Query(expression string) ([]Instant, error) {
	d.t.Helper()
	return d.QueryAt(expression, time.Now())
}

// QueryAt is like Query at a given time.
func (d *Database) QueryAt(expression string, at time.Time) ([]Instant, error) {
	d.t.Helper()
	query := url.Values{"query": {expression}, "time": {secondsOf(at)}}
	r, err := http.Get(d.URL + "/api/v1/query?" + query.Encode())
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Body.Close()

	var answer struct {
		Error string
		Data  struct {
			Type   string `json:"resultType"`
			Result json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		d.t.Fatal(err)
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	if answer.Data.Type != "vector" {
		return nil, fmt.Errorf("the expression has a %s, expected a vector", answer.Data.Type)
	}
	return instants(answer.Data.Result)
}

// instants parses a vector of the API.
func instants(text []byte) (all []Instant, err error) {
	var vector []struct {
		Metric map[string]string
		Value  [2]any
	}
	if err := json.Unmarshal(text, &vector); err != nil {
		return nil, err
	}
	for _, v := range vector {
		value, err := strconv.ParseFloat(fmt.Sprint(v.Value[1]), 64)
		if err != nil {
			return nil, err
		}
		all = append(all, Instant{v.Metric, value})
	}
	return all, nil
}

// Evaluated returns the values of a PromQL expression at a time, by the labels that winperf made:
// {a="b"}.
func (d *Database) Evaluated(expression string, at time.Time) map[string]float64 {
	d.t.Helper()
	query := url.Values{"query": {expression}, "time": {secondsOf(at)}}
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	if err := json.Unmarshal([]byte(d.get("/api/v1/query?"+query.Encode())), &answer); err != nil {
		d.t.Fatal(err)
	}

	values := map[string]float64{}
	for _, series := range answer.Data.Result {
		delete(series.Metric, "__name__")
		text, _ := series.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			d.t.Fatal(err)
		}
		values[labelText(series.Metric)] = v
	}
	return values
}

// secondsOf returns a time in the form of the API.
func secondsOf(at time.Time) string {
	return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64)
}

func (d *Database) get(path string) string {
	d.t.Helper()
	r, err := http.Get(d.URL + path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		d.t.Fatalf("%s: %d, %v, %s", path, r.StatusCode, err, body)
	}
	return string(body)
}
