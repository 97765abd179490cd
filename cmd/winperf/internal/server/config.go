package server

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
)

// Config is the configuration of the server. The zero Config serves the counters of this machine to this
// machine.
type Config struct {
	// Source is the URL of the source for source.Open; "" is "local:".
	Source string
	serve.Config

	Push []Target
	Web  Web
	Log  Log

	places strictyaml.Places // of the file's values; nil without a file
	read   *Config           // values of the file; flags may have replaced them
	notes  []error           // warnings about settings without effect
}

// Log configures the messages of the server.
type Log struct {
	Level  string `yaml:"level"`  // debug, info, warn or error; "" is info
	Format string `yaml:"format"` // logfmt or json; "" is logfmt
}

// Target is a receiver to which samples are pushed.
type Target struct {
	URL      string            `yaml:"url,required"`
	Names    []metrics.Scheme  // none means winperf's own
	Interval time.Duration     `yaml:"interval"` // between two samples; 0 is the pusher's default
	Headers  map[string]string `yaml:"headers"`  // of each request
	Labels   map[string]string `yaml:"labels"`   // of all series, or resource attributes; "" removes one
	// PasswordFile has the password of the URL's user, BearerFile a token.
	PasswordFile string `yaml:"password_file"`
	BearerFile   string `yaml:"bearer_file"`
	TLS          TLS    `yaml:"tls"`
	Queue        Queue  `yaml:"queue"`
}

// TLS configures how a receiver and this client are authenticated.
type TLS struct {
	CAFile     string `yaml:"ca_file"`              // trusted certificates, PEM; "" is the system's
	CertFile   string `yaml:"cert_file"`            // client certificate, PEM
	KeyFile    string `yaml:"key_file"`             // key of the client certificate, PEM
	ServerName string `yaml:"server_name"`          // in the receiver's certificate; "" is the host of the URL
	Insecure   bool   `yaml:"insecure_skip_verify"` // accepts any certificate
}

// Queue keeps samples until a receiver accepts them. Zero limits mean the pusher's defaults.
type Queue struct {
	Dir      string          `yaml:"dir"` // "" is a directory named after the URL
	MaxBytes strictyaml.Size `yaml:"max_size"`
	MaxAge   time.Duration   `yaml:"max_age"`
}

// Web configures how the server is reached.
type Web struct {
	// Listen lists addresses, host:port; none means DefaultAddress.
	Listen []string `yaml:"listen_address"`
	// ConfigFile has certificates and passwords in the format of the Prometheus exporter toolkit; "" is
	// plain HTTP without passwords.
	ConfigFile string `yaml:"config_file"`
	// SystemdSocket listens on sockets passed by systemd instead of Listen.
	SystemdSocket bool `yaml:"systemd_socket"`
	// Lifecycle allows POST and PUT of /-/reload.
	Lifecycle bool `yaml:"enable_lifecycle"`
	// TelemetryPath is the path of the metrics; "" is /metrics.
	TelemetryPath string `yaml:"telemetry_path"`
	// Pprof serves profiles of the server below /debug/pprof/.
	Pprof bool `yaml:"enable_pprof"`
	// MaxConnections bounds the connections; 0 means 512. At the limit idle connections are closed, or new
	// ones wait.
	MaxConnections int `yaml:"max_connections"`
}

// Lowest returns the lowest level of messages.
func (l *Log) Lowest() (level slog.Level) {
	_ = level.UnmarshalText([]byte(cmp.Or(l.Level, "info"))) // Check reports other words
	return level
}

// DefaultAddress accepts connections only from this machine, on the port of windows_exporter.
const DefaultAddress = "127.0.0.1:9182"

const defaultConnections = 512

func (c Config) withDefaults() Config {
	c.Source = cmp.Or(c.Source, "local:")
	c.Config = c.WithDefaults()
	c.Web.MaxConnections = cmp.Or(c.Web.MaxConnections, defaultConnections)
	c.Web.TelemetryPath = cmp.Or(c.Web.TelemetryPath, "/metrics")
	if len(c.Web.Listen) == 0 {
		c.Web.Listen = []string{DefaultAddress}
	}
	return c
}

// ParseNames parses names of served metrics: own and windows_exporter.
func ParseNames(words []string) ([]metrics.Scheme, error) {
	return parseNames(words, servedNames)
}

// ParsePushNames parses names of pushed metrics: own, windows_exporter and otel.
func ParsePushNames(words []string) ([]metrics.Scheme, error) {
	return parseNames(words, pushNames)
}

// Names of served and of pushed metrics.
var (
	servedNames = []string{"own", "windows_exporter"}
	pushNames   = []string{"own", "windows_exporter", "otel"}
)

func parseNames(words, allowed []string) (names []metrics.Scheme, err error) {
	for _, word := range words {
		scheme, err := metrics.ParseScheme(word)
		switch {
		case err != nil || scheme == metrics.OTel && !slices.Contains(allowed, word):
			return nil, fmt.Errorf("unknown names %q, expected %s%s", word, strings.Join(allowed, " or "),
				didYouMean(word, allowed))
		case slices.Contains(names, scheme):
			return nil, fmt.Errorf("the names %s are given twice", word)
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

type file struct {
	Source       string `yaml:"source"`
	serve.Config `yaml:",inline"`
	Names        []string `yaml:"names"`
	Legacy       *bool    `yaml:"legacy"`

	Groups strictyaml.Short[*groupsFile] `yaml:"process_groups"`

	Counters counterFile  `yaml:"performancecounter"`
	Exporter exporterFile `yaml:",inline"`

	Push []targetFile `yaml:"push"`
	Web  exporterWeb  `yaml:"web"`
	Log  struct {
		Log  `yaml:",inline"`
		File strictyaml.Any `yaml:"file"`
	} `yaml:"log"`
	Debug struct {
		Enabled bool `yaml:"enabled"`
	} `yaml:"debug"`

	Record  strictyaml.Into `yaml:"record"`
	Publish strictyaml.Into `yaml:"publish"`
}

// Sections are the sections of a configuration file that are not for the server. Each is a pointer to decode
// the section into, or nil to ignore it.
type Sections struct{ Record, Publish any }

type groupsFile struct {
	strictyaml.Pos
	metrics.Grouping `yaml:",inline"`
}

type counterFile struct {
	Objects strictyaml.Embedded[[]genericFile] `yaml:"objects"`
}

type genericFile struct {
	strictyaml.Pos
	metrics.Generic `yaml:",inline"`
}

type targetFile struct {
	Target `yaml:",inline"`
	Names  []string `yaml:"names"`
}

// ParseConfig parses a configuration file; name is used in errors. Missing values are zero. The error
// joins all errors, each a *winperf.DataError with line and column.
func ParseConfig(name string, text []byte, others Sections) (Config, error) {
	f := file{Record: strictyaml.Into{To: others.Record}, Publish: strictyaml.Into{To: others.Publish}}
	check := checker{}
	check.add(strictyaml.Decode(name, text, &f))

	c := Config{Source: f.Source, Config: f.Config, Web: f.Web.Web, Log: f.Log.Log}
	c.Web.Pprof = c.Web.Pprof || f.Debug.Enabled
	c.NoLegacy = f.Legacy != nil && !*f.Legacy
	for i := range f.Push {
		c.Push = append(c.Push, f.Push[i].Target)
	}
	c.places = strictyaml.PlacesOf(name, text)
	c.checkPositive(&check)
	list := f.Counters.Objects.V
	if f.Exporter.Collector != nil {
		list = slices.Concat(list, f.Exporter.Collector.Counters.Objects.V)
	}
	problems := slices.Concat(f.setNames(&c), f.setGroups(&c))
	f.Exporter.apply(&c, len(list) > 0, &check)
	f.Web.apply(&c)
	c.noteIneffective()
	problems = append(problems, c.problems()...)

	c.Counters = check.generics(list)
	read := c
	c.read = &read
	for _, p := range problems {
		check.add(c.wrong(p))
	}
	return c, check.err()
}

// setNames sets the metric names in c, and returns the invalid ones.
func (f *file) setNames(c *Config) (list []problem) {
	set := func(key string, to *[]metrics.Scheme, words, allowed []string) {
		var err error
		if *to, err = parseNames(words, allowed); err != nil {
			list = append(list, problem{key, "", err})
		}
	}
	set("names", &c.Names, f.Names, servedNames)
	for i := range f.Push {
		set(fmt.Sprintf("push[%d].names", i), &c.Push[i].Names, f.Push[i].Names, pushNames)
	}
	return list
}

// setGroups sets the groups of processes in c, and returns an unknown word.
func (f *file) setGroups(c *Config) []problem {
	if is := f.Groups.V; is != nil && !is.Partial { // Partial: its errors are reported
		c.Groups = &is.Grouping
	}
	if f.Groups.Word == "" {
		return nil
	}
	var err error
	if c.Groups, err = ParseGroups(f.Groups.Word); err != nil {
		return []problem{{"process_groups", "", err}}
	}
	return nil
}

// ParseGroups parses a word that selects groups of processes, as GroupBy.UnmarshalText.
func ParseGroups(word string) (*metrics.Grouping, error) {
	g := &metrics.Grouping{}
	if err := g.By.UnmarshalText([]byte(word)); err != nil {
		return nil, err
	}
	return g, nil
}

// checkPositive checks values that must be positive if the file has them.
func (c *Config) checkPositive(check *checker) {
	positive := func(key string, is int64, err error) {
		if place, there := c.places[key]; there && is <= 0 {
			check.add(place.Errorf("%s: %w", key[strings.LastIndexByte(key, '.')+1:], err))
		}
	}
	positive("costly_interval", int64(c.CostlyInterval), errTime)
	positive("timeout", int64(c.Timeout), errTime)
	positive("timeout_offset", int64(c.TimeoutOffset), errTime)
	for i := range c.Push {
		t, key := &c.Push[i], fmt.Sprintf("push[%d].", i)
		positive(key+"interval", int64(t.Interval), errTime)
		positive(key+"queue.max_age", int64(t.Queue.MaxAge), errTime)
		positive(key+"queue.max_size", int64(t.Queue.MaxBytes), errors.New("expected more than 0"))
	}
}
