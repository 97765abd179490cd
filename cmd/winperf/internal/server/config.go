package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
)

// Config is what is served, from where, to whom. The zero Config serves this machine to this machine.
type Config struct {
	// Source is the URL of what is measured, as source.Open takes it; "" is "local:".
	Source string
	serve.Config

	Push []Target
	Web  Web

	places strictyaml.Places // of the values of the file, nil without one
	read   *Config           // what the file says; flags may have set other values since
}

// Target is where samples are sent without being asked for.
type Target struct {
	URL      string
	Names    []metrics.Scheme  // none is winperf's own
	Interval time.Duration     // between two samples; 0 is up to who sends
	Headers  map[string]string // of each request
	Labels   map[string]string // of all series, or attributes of the resource; "" takes one away
	Queue    Queue
	// PasswordFile has the password of the user in the URL, BearerFile a token.
	PasswordFile, BearerFile string
	TLS                      TLS
}

// TLS says how a target is known, and how this side shows who it is.
type TLS struct {
	CAFile            string // certificates of who is trusted, PEM; "" is whom the system trusts
	CertFile, KeyFile string // of this side, PEM
	ServerName        string // that the certificate must have; "" is the host of the URL
	Insecure          bool   // takes any certificate
}

// Queue keeps what a target did not take yet. Zero bounds are up to who sends.
type Queue struct {
	Dir      string // where; "" is up to who sends
	MaxBytes int64
	MaxAge   time.Duration
}

// Web is how the server is reached.
type Web struct {
	// Listen are addresses, host:port; none is DefaultAddress.
	Listen []string
	// ConfigFile has certificates and passwords in the form of the Prometheus
	// exporter toolkit; "" is plain HTTP for everybody who gets here.
	ConfigFile string
	// SystemdSocket listens on what systemd hands over, in place of Listen.
	SystemdSocket bool
	// Lifecycle allows POST and PUT of /-/reload.
	Lifecycle bool
	// MaxConnections bounds connections at once; 0 is 512. For more, idle ones are closed; if there are none, more wait.
	MaxConnections int
}

// DefaultAddress is where the server listens: on this machine only, at the port of
// windows_exporter.
const DefaultAddress = "127.0.0.1:9182"

const defaultConnections = 512

// withDefaults is the configuration with the defaults in it.
func (c Config) withDefaults() Config {
	c.Source = cmp.Or(c.Source, "local:")
	c.Config = c.WithDefaults()
	c.Web.MaxConnections = cmp.Or(c.Web.MaxConnections, defaultConnections)
	if len(c.Web.Listen) == 0 {
		c.Web.Listen = []string{DefaultAddress}
	}
	return c
}

// ParseNames reads the words of schemes of names that can be served: own and
// windows_exporter.
func ParseNames(words []string) ([]metrics.Scheme, error) {
	return parseNames(words, []string{"own", "windows_exporter"})
}

// ParsePushNames reads the words of schemes of names that can be sent: otel too.
func ParsePushNames(words []string) ([]metrics.Scheme, error) {
	return parseNames(words, pushNames)
}

var pushNames = []string{"own", "windows_exporter", "otel"}

func parseNames(words, allowed []string) (names []metrics.Scheme, err error) {
	for _, word := range words {
		scheme, err := metrics.ParseScheme(word)
		switch {
		case err != nil || scheme == metrics.OTel && !slices.Contains(allowed, word):
			return nil, fmt.Errorf("unknown names %q, expected %s%s", word, strings.Join(allowed, " or "),
				didYouMean(word, allowed))
		case slices.Contains(names, scheme):
			return nil, fmt.Errorf("the names %s are there twice", word)
		}
		names = append(names, scheme)
	}
	return names, nil
}

func didYouMean(word string, candidates []string) string {
	if near := suggest.Closest(word, slices.Values(candidates)); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// file is the configuration as the file has it.
type file struct {
	Source   string            `yaml:"source"`
	Language string            `yaml:"language"`
	Paths    []strictyaml.Path `yaml:"paths"`
	Objects  []string          `yaml:"objects"`
	Costly   bool              `yaml:"costly"`
	Exclude  []strictyaml.Path `yaml:"exclude"`

	Names  strictyaml.Value[[]string] `yaml:"names"`
	Totals bool                       `yaml:"totals"`
	Legacy *bool                      `yaml:"legacy"`

	Counters  counterFile   `yaml:"performancecounter"`
	Collector collectorFile `yaml:"collector"` // where windows_exporter has it

	CostlyInterval positive `yaml:"costly_interval"`
	Timeout        positive `yaml:"timeout"`
	TimeoutOffset  positive `yaml:"timeout_offset"`
	MaxSeries      int      `yaml:"max_series"`

	Push []targetFile `yaml:"push"`
	Web  webFile      `yaml:"web"`
}

// keysOfExporter are those that files of windows_exporter have too.
var keysOfExporter = []string{"collectors", "debug", "log", "process", "scrape", "telemetry"}

// UnknownKey says whose key it is that a file has.
func (file) UnknownKey(key string) string {
	if !slices.Contains(keysOfExporter, key) {
		return ""
	}
	return "windows_exporter's; of its files only collector: {performancecounter: ...} is used, " +
		"leave out the rest"
}

// collectorFile is what files of windows_exporter have about a collector each.
type collectorFile struct {
	Counters counterFile `yaml:"performancecounter"`
}

// UnknownKey says that no other collector has settings.
func (collectorFile) UnknownKey(string) string {
	return "of windows_exporter's collectors only performancecounter has settings here, leave out the others"
}

// positive is a time that is not 0 where it is given.
type positive = strictyaml.Value[time.Duration]

// counterFile are the metrics of performancecounter, a list or text that holds one.
type counterFile struct {
	Objects strictyaml.Embedded[[]genericFile] `yaml:"objects"`
}

type genericFile struct {
	strictyaml.Pos
	metrics.Generic `yaml:",inline"`
}

type targetFile struct {
	URL      string                     `yaml:"url,required"`
	Names    strictyaml.Value[[]string] `yaml:"names"`
	Interval positive                   `yaml:"interval"`
	Headers  map[string]string          `yaml:"headers"`
	Labels   map[string]string          `yaml:"labels"`
	Password string                     `yaml:"password_file"`
	Bearer   string                     `yaml:"bearer_file"`
	TLS      struct {
		CA         string `yaml:"ca_file"`
		Cert       string `yaml:"cert_file"`
		Key        string `yaml:"key_file"`
		ServerName string `yaml:"server_name"`
		Insecure   bool   `yaml:"insecure_skip_verify"`
	} `yaml:"tls"`
	Queue struct {
		Dir     string                            `yaml:"dir"`
		MaxSize strictyaml.Value[strictyaml.Size] `yaml:"max_size"`
		MaxAge  positive                          `yaml:"max_age"`
	} `yaml:"queue"`
}

type webFile struct {
	Listen         []string `yaml:"listen_address"`
	ConfigFile     string   `yaml:"config_file"`
	SystemdSocket  bool     `yaml:"systemd_socket"`
	Lifecycle      bool     `yaml:"enable_lifecycle"`
	MaxConnections int      `yaml:"max_connections"`
}

// ParseConfig reads a configuration file, whose name stands in errors. What the text does
// not say is zero. The error joins all that is wrong, each a *winperf.DataError with line
// and column.
func ParseConfig(name string, text []byte) (Config, error) {
	var f file
	err := strictyaml.Decode(name, text, &f)
	check := checker{}
	check.add(err)
	c := f.config(&check)

	c.places = strictyaml.PlacesOf(name, text)
	read := c
	c.read = &read
	plain := c
	plain.Counters = nil // which were checked with their places
	for _, p := range plain.problems() {
		check.add(c.wrong(p))
	}
	return c, check.err()
}

func (f *file) config(check *checker) Config {
	c := Config{Source: f.Source, Web: f.Web.web()}
	c.Config = serve.Config{
		Language: f.Language, Objects: f.Objects, Costly: f.Costly, Totals: f.Totals,
		Paths: plain(f.Paths), Exclude: plain(f.Exclude),
		Names:          check.names(f.Names, "own", "windows_exporter"),
		CostlyInterval: check.time(f.CostlyInterval, "costly_interval"),
		Timeout:        check.time(f.Timeout, "timeout"),
		TimeoutOffset:  check.time(f.TimeoutOffset, "timeout_offset"),
		MaxSeries:      f.MaxSeries,
	}

	c.NoLegacy = f.Legacy != nil && !*f.Legacy
	c.Counters = check.generics(slices.Concat(f.Counters.Objects.V, f.Collector.Counters.Objects.V))
	for i := range f.Push {
		c.Push = append(c.Push, f.Push[i].target(check))
	}
	return c
}

func plain(paths []strictyaml.Path) (list []winperf.Path) {
	for _, p := range paths {
		list = append(list, p.Path)
	}
	return list
}

func (t *targetFile) target(check *checker) Target {
	return Target{
		URL: t.URL, Headers: t.Headers, Labels: t.Labels, PasswordFile: t.Password, BearerFile: t.Bearer,
		TLS:      TLS{t.TLS.CA, t.TLS.Cert, t.TLS.Key, t.TLS.ServerName, t.TLS.Insecure},
		Names:    check.names(t.Names, pushNames...),
		Interval: check.time(t.Interval, "interval"),
		Queue: Queue{
			Dir: t.Queue.Dir, MaxBytes: check.size(t.Queue.MaxSize, "max_size"),
			MaxAge: check.time(t.Queue.MaxAge, "max_age"),
		},
	}
}

func (w *webFile) web() Web {
	return Web{
		Listen: w.Listen, ConfigFile: w.ConfigFile, SystemdSocket: w.SystemdSocket, Lifecycle: w.Lifecycle,
		MaxConnections: w.MaxConnections,
	}
}
