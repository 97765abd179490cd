package server

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
)

// expressions compares regular expressions by their text.
var expressions = cmp.Transformer("text", func(r *regexp.Regexp) string {
	if r == nil {
		return ""
	}
	return r.String()
})

// The example in testdata has every key.
func TestParseConfig(t *testing.T) {
	text, err := os.ReadFile("testdata/all.yml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseConfig("all.yml", text, Sections{})
	if err != nil {
		t.Fatal(err)
	}

	want := Config{
		Source: "local:",
		Config: serve.Config{
			Language: "009", Paths: paths(t, `\Processor(*)\*`, `\Memory\Available MBytes`),
			Objects: []string{"PhysicalDisk"}, Costly: true, Exclude: paths(t, `\Processor(_Total)\*`),
			Names:  []metrics.Scheme{metrics.Own, metrics.WindowsExporter},
			Totals: true, NoLegacy: true, Created: true,
			CostlyInterval: 2 * time.Minute, Timeout: 5 * time.Second, TimeoutOffset: 250 * time.Millisecond,
			MaxSeries: 50000, Collectors: []string{"cpu", "performancecounter", "net"},
			Filters: []metrics.LabelFilter{{Collector: "net", Label: "nic", Exclude: regexp.MustCompile("^(?:lo)$")}},
			Groups: &metrics.Grouping{By: metrics.ByName, Groups: []metrics.ProcessGroup{
				{Name: "web", Processes: []string{"nginx*", "php-fpm"}},
			}},
		},
		Push: []Target{{
			URL: "otlp+https://collector.example:4318", Names: []metrics.Scheme{metrics.OTel},
			Interval: 15 * time.Second, Headers: map[string]string{"X-Scope-OrgID": "12"},
			BearerFile: "token",
			Queue:      Queue{Dir: "/var/lib/winperf", MaxBytes: 1 << 30, MaxAge: 24 * time.Hour},
		}, {
			URL:    "remote-write+https://me@prometheus.example/api/v1/write",
			Labels: map[string]string{"site": "north", "job": ""}, PasswordFile: "secret",
			TLS: TLS{CertFile: "me.pem", KeyFile: "me.key", ServerName: "prometheus", Insecure: true},
		}, {
			URL: "remote-write+https://other.example", TLS: TLS{CAFile: "ca.pem"},
		}},
		Web: Web{
			Listen: []string{":9182", "[::1]:9183"}, ConfigFile: "web.yml", SystemdSocket: true,
			Lifecycle: true, MaxConnections: 100, TelemetryPath: "/all", Pprof: true,
		},
		Log: Log{Level: "debug", Format: "json"},
	}
	generic := func(g metrics.Generic) string { return g.Name + "/" + g.Object }
	var generics []string
	for _, g := range got.Counters {
		generics = append(generics, generic(g))
	}
	if diff := cmp.Diff([]string{"memory/Memory", "cache/Cache"}, generics); diff != "" {
		t.Error(diff)
	}
	got.Counters = nil
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{}), expressions); diff != "" {
		t.Error(diff)
	}
}

// TestOneErrorPerMistake: a misspelt key or word causes no other errors.
func TestOneErrorPerMistake(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"process_groups: {by: usr, groups: [{name: a, processes: [b]}]}\n", `f:1:22: by: unknown process groups ` +
			`"usr", expected name, user, control_group or none (did you mean user?)`},
		{"process_groups: {bye: name, groups: [{name: a, processes: [b]}]}\n",
			`f:1:18: unknown key "bye" (did you mean by?)`},
		{"process_groups: {by: name, groups: [{name: a, proceses: [b]}]}\n",
			`f:1:47: unknown key "proceses" (did you mean processes?)`},
		{"process_groups: {by: name, groups: [{nam: a, processes: [b]}]}\n",
			`f:1:38: unknown key "nam" (did you mean name?)`},
	} {
		if _, err := ParseConfig("f", []byte(c.text), Sections{}); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"pahts: []\n", `f:1:1: unknown key "pahts" (did you mean paths?)`},
		{"web:\n  listen: x\n", `f:2:3: unknown key "listen" (did you mean listen_address?)`},
		{"names: [own, windows]\n", `f:1:8: names: unknown names "windows", ` +
			`expected own or windows_exporter (did you mean windows_exporter?)`},
		{"process_groups: usr\n", `f:1:17: process_groups: unknown process groups "usr", ` +
			`expected name, user, control_group or none (did you mean user?)`},
		{"process_groups: {by: user, groups: [{name: a, processes: [b]}]}\n",
			`f:1:17: process_groups: a list of groups needs by: name`},
		{"names: [otel]\n", `f:1:8: names: unknown names "otel", expected own or windows_exporter`},
		{"names: [own, own]\n", `f:1:8: names: the names own are given twice`},
		{"language: klingon\n", `f:1:11: language: expected a language such as de, German, 007 or 0x407`},
		{"timeout: 0\n", `f:1:10: timeout: expected more than 0 and at most a year`},
		{"costly_interval: -1s\n", `f:1:18: costly_interval: expected more than 0 and at most a year`},
		{"max_series: -1\n", `f:1:13: max_series: expected 0 or more`},
		{"paths: [Memory]\n", `f:1:9: paths: bad counter path "Memory", character 1: a path begins`},
		{"web: {listen_address: [\":99999\"]}\n", `f:1:24: listen_address: expected host:port, ` +
			`such as 127.0.0.1:9182 or :9182`},
		{"web: {listen_address: [localhost]}\n", `f:1:24: listen_address: expected host:port`},
		{"push:\n  - url: http://x\n", `f:2:10: url: bad URL of a receiver http://x: expected otlp+http://, ` +
			`otlp+https://, remote-write+http://, remote-write+https://HOST`},
		{"push:\n  - url: oltp+http://x\n", `f:2:10: url: bad URL of a receiver oltp+http://x: expected otlp+http`},
		{"push:\n  - url: otlp+http://\n", `f:2:10: url: bad URL of a receiver otlp+http:: expected otlp+http://HOST`},
		{"push:\n  - interval: 5\n", `f:2:5: the key url is missing`},
		{"push:\n  - url: otlp+http://x\n    queue: {max_size: 5 apples}\n", `f:3:23: max_size: expected a size`},
		{"timeout: 0\nmax_series: -2\n", "f:1:10: timeout: expected more than 0 and " +
			"at most a year\nf:2:13: max_series: expected 0 or more"},
	} {
		_, err := ParseConfig("f", []byte(c.text), Sections{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
			continue
		}
		var place *winperf.DataError
		if !errors.As(err, &place) || place.Line == 0 {
			t.Errorf("%q: no place in %#v", c.text, err)
		}
	}
}

func TestCheck(t *testing.T) {
	if err := (&Config{}).Check(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Web: Web{Listen: []string{"9182"}}}, "--web.listen-address: expected host:port"},
		{Config{Config: serve.Config{MaxSeries: -1}}, "--max-series: expected 0 or more"},
		{Config{Web: Web{ConfigFile: "testdata/none.yml"}}, "--web.config.file: testdata/none.yml: "},
		{Config{Web: Web{ConfigFile: "testdata/all.yml"}}, "--web.config.file: testdata/all.yml:2:1: unknown key \"source\","},
	} {
		if err := c.config.Check(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// FuzzParseConfig: any text is a configuration or an error with a place.
func FuzzParseConfig(f *testing.F) {
	text, err := os.ReadFile("testdata/all.yml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("push: [{url: 'otlp+http://[::1'}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseConfig("f", text, Sections{})
		if err != nil {
			var place *winperf.DataError
			if !errors.As(err, &place) || place.Source != "f" {
				t.Errorf("no place in %v", err)
			}
			return
		}
		if d := c.withDefaults(); d.Timeout <= 0 || d.CostlyInterval <= 0 || d.MaxSeries < 0 || len(d.Names) == 0 {
			t.Errorf("%+v", d)
		}
	})
}
