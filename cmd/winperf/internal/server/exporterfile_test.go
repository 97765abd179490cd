package server

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
)

// A file of windows_exporter with every key that it has: each is obeyed or noted once, with its place.
func TestExporterFile(t *testing.T) {
	text, err := os.ReadFile("testdata/windows_exporter.yml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseConfig("f", text, Sections{})
	if err != nil {
		t.Fatal(err)
	}

	filter := func(collector, label, include, exclude string) metrics.LabelFilter {
		compiled := func(text string) *regexp.Regexp { return regexp.MustCompile("^(?:" + text + ")$") }
		return metrics.LabelFilter{
			Collector: collector, Label: label, Include: compiled(include), Exclude: compiled(exclude),
		}
	}
	want := Config{
		Config: serve.Config{
			Names: []metrics.Scheme{metrics.WindowsExporter}, TimeoutOffset: 700 * time.Millisecond,
			Collectors: []string{
				"cpu", "memory", "logical_disk", "physical_disk", "net", "os", "service", "system", "process",
				"performancecounter",
			},
			Filters: []metrics.LabelFilter{
				filter("iis", "app", "a.*", "b"), filter("iis", "site", "c", "d"),
				filter("logical_disk", "volume", "C:", "HarddiskVolume.+"), filter("net", "nic", "eth.*", "lo"),
				filter("physical_disk", "disk", "0.*", "1.*"), filter("process", "process", "nginx|postgres.*", ""),
				filter("service", "name", "windows_exporter", "x"), filter("smtp", "site", "x", "y"),
			},
		},
		Web: Web{Listen: []string{":9182"}, ConfigFile: "web.yml", TelemetryPath: "/wmetrics", Pprof: true},
		Log: Log{Level: "warn", Format: "json"},
	}
	counters := got.Counters
	got.Counters = nil
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{}), expressions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(counters) != 1 || counters[0].Object != "Cache" {
		t.Errorf("counters %+v", counters)
	}

	var without []string
	for _, line := range strings.Split(string(text), "\n") {
		if key, _, ok := strings.Cut(line, ": "); ok && strings.HasSuffix(line, "# no effect") {
			without = append(without, strings.TrimSpace(key))
		}
	}
	var noted []string
	for _, note := range got.notes {
		if !regexp.MustCompile(`^f:\d+:\d+: [a-z_]+\.[a-z_.-]+ has no effect: [a-zA-Z]`).MatchString(note.Error()) {
			t.Errorf("note %v", note)
		}
		key, _, _ := strings.Cut(note.Error()[strings.Index(note.Error(), ": ")+2:], " ")
		noted = append(noted, key[strings.LastIndexByte(key, '.')+1:])
	}
	slices.Sort(without)
	slices.Sort(noted)
	if diff := cmp.Diff(without, noted); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// Own keys of a file go before the keys of windows_exporter, and without enabled collectors the
// defaults are enabled.
func TestExporterFileDefaults(t *testing.T) {
	for text, want := range map[string]string{
		"collector: {cpu: }\n":                                          "[windows_exporter] cpu,memory,logical_disk,physical_disk,net,os,service,system",
		"names: [own]\ncollectors: {enabled: cpu}\n":                    "[own] cpu",
		"collectors: {enabled: \"tcp, [defaults],cpu\"}\n":              "[windows_exporter] tcp,cpu,memory,logical_disk,physical_disk,net,os,service,system",
		"timeout_offset: 1\nscrape: {timeout-margin: 2}\n":              "[] ",
		"web: {listen_address: [':1'], listen-address: [':2', ':3']}\n": "[] ",
	} {
		c, err := ParseConfig("f", []byte(text), Sections{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var names []string
		for _, scheme := range c.Names {
			names = append(names, scheme.String())
		}
		got := "[" + strings.Join(names, ",") + "] " + strings.Join(c.Collectors, ",")
		if got != want || c.TimeoutOffset > time.Second || len(c.Web.Listen) > 1 {
			t.Errorf("%q: %s, %v, %v", text, got, c.TimeoutOffset, c.Web.Listen)
		}
	}

	c, err := ParseConfig("f", []byte("web: {listen-address: [':2', ':3']}\n"), Sections{})
	if err != nil || !slices.Equal(c.Web.Listen, []string{":2", ":3"}) {
		t.Errorf("%v, %v", c.Web.Listen, err)
	}
}

// Collectors without metrics, and counters whose collector is not enabled, are reported at their place, or
// with the flag.
func TestCollectorProblems(t *testing.T) {
	const counters = "collector:\n  performancecounter:\n    objects: [{name: a, object: Memory, counters: [{name: X}]}]\n"
	for text, want := range map[string][]string{
		"collectors: {enabled: \"cpu,textfile,update\"}\n": {
			"f:1:23: collectors.enabled: winperf has no metrics of textfile, update, because they have no counters"},
		counters + "collectors: {enabled: cpu}\n": {
			"f:4:23: collectors.enabled: without performancecounter, its counters are not served"},
		counters + "collectors: {enabled: performancecounter}\n": nil,
		counters: nil,
	} {
		c, err := ParseConfig("f", []byte(text), Sections{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range c.collectorProblems() {
			got = append(got, c.wrong(p).Error())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if c := c.withDefaults(); strings.Contains(text, "enabled: cpu}") != (len(c.Counters) == 0) && strings.Contains(text, counters) {
			t.Errorf("%q: counters %v", text, c.Counters)
		}
	}
}

// The options of collectors that the flags have are windows_exporter's, and each can be set.
func TestCollectorOptions(t *testing.T) {
	for _, option := range CollectorOptions() {
		var c Config
		if option == commandLines {
			continue // TestCommandLines
		}
		if err := c.SetCollector(option, "x"); err != nil || len(c.notes)+len(c.Filters) != 1 {
			t.Errorf("%s: %v, %+v", option, err, c)
		}
	}
	var c Config
	for _, option := range []string{"net.include", "net.nic", "cpu.x", "", "process.", "process.-include"} {
		if err := c.SetCollector(option, "x"); err == nil {
			t.Errorf("%q is no error", option)
		}
	}
	if err := c.SetCollector("net.nic-include", "("); err == nil || !strings.HasPrefix(err.Error(), "--collector.net.nic-include: error parsing regexp") {
		t.Error(err)
	}
}

// TestCommandLines: command lines are served only on request, by the key of windows_exporter or its flag.
func TestCommandLines(t *testing.T) {
	for text, want := range map[string]bool{
		"collector: {process: {cmdline: true}}\n": true, "collector: {process: {cmdline: false}}\n": false,
		"collector: {process: {include: a}}\n": false,
	} {
		c, err := ParseConfig("f", []byte(text), Sections{})
		if err != nil || c.CommandLines != want || len(c.notes) > 0 {
			t.Errorf("%q: %v, %v, %v", text, c.CommandLines, err, c.notes)
		}
	}

	_, err := ParseConfig("f", []byte("collector: {process: {cmdline: some}}\n"), Sections{})
	if want := `f:1:32: cmdline: expected true or false, found "some"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	var c Config
	if err := c.SetCollector(commandLines, "true"); err != nil || !c.CommandLines || len(c.notes) > 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// The path of the metrics can be another one, and profiles are served only on request.
func TestTelemetryPath(t *testing.T) {
	s := start(t, Config{})
	for path, want := range map[string]int{"/metrics": 200, "/health": 200, "/debug/pprof/": 404, "/debug/pprof/heap": 404} {
		if status, _ := s.ask("GET", path); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
		}
	}

	s = start(t, Config{Web: Web{TelemetryPath: "/all/metrics", Pprof: true}})
	s.url = strings.TrimSuffix(s.url, "/all")
	for path, want := range map[string]int{
		"/metrics": 404, "/all/metrics": 200, "/debug/pprof/": 200, "/debug/pprof/cmdline": 200, "/debug/pprof/heap": 200,
	} {
		if status, _ := s.ask("GET", path); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
		}
	}
	if _, page := s.ask("GET", "/"); !strings.Contains(page, `href="/all/metrics"`) || strings.Contains(page, `"/metrics`) {
		t.Errorf("the index is\n%s", page)
	}
}
