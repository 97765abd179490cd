package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
	URL      string            `yaml:"url,required"`
	Names    []metrics.Scheme  // none is winperf's own
	Interval time.Duration     `yaml:"interval"` // between two samples; 0 is up to the pusher
	Headers  map[string]string `yaml:"headers"`  // of each request
	Labels   map[string]string `yaml:"labels"`   // of all series, or attributes of the resource; "" removes one
	// PasswordFile has the password of the user in the URL, BearerFile a token.
	PasswordFile string `yaml:"password_file"`
	BearerFile   string `yaml:"bearer_file"`
	TLS          TLS    `yaml:"tls"`
	Queue        Queue  `yaml:"queue"`
}

// TLS says how a target is known, and how this side identifies itself.
type TLS struct {
	CAFile     string `yaml:"ca_file"`              // certificates that are trusted, PEM; "" is those of the system
	CertFile   string `yaml:"cert_file"`            // of this side, PEM
	KeyFile    string `yaml:"key_file"`             // of this side, PEM
	ServerName string `yaml:"server_name"`          // that the certificate must have; "" is the host of the URL
	Insecure   bool   `yaml:"insecure_skip_verify"` // takes any certificate
}

// Queue keeps samples that a target did not take yet. Zero bounds are up to the pusher.
type Queue struct {
	Dir      string          `yaml:"dir"` // "" is a directory by the address of the target
	MaxBytes strictyaml.Size `yaml:"max_size"`
	MaxAge   time.Duration   `yaml:"max_age"`
}

// Web is how the server is reached.
type Web struct {
	// Listen are addresses, host:port; none is DefaultAddress.
	Listen []string `yaml:"listen_address"`
	// ConfigFile has certificates and passwords in the form of the Prometheus
	// exporter toolkit; "" is plain HTTP without passwords.
	ConfigFile string `yaml:"config_file"`
	// SystemdSocket listens on the sockets that systemd hands over, in place of Listen.
	SystemdSocket bool `yaml:"systemd_socket"`
	// Lifecycle allows POST and PUT of /-/reload.
	Lifecycle bool `yaml:"enable_lifecycle"`
	// MaxConnections bounds connections at once; 0 is 512. For more, idle ones are closed; if there are none,
	// more wait.
	MaxConnections int `yaml:"max_connections"`
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
	return parseNames(words, servedNames)
}

// ParsePushNames reads the words of schemes of names that can be sent: otel too.
func ParsePushNames(words []string) ([]metrics.Scheme, error) {
	return parseNames(words, pushNames)
}

// The schemes of names that can be served, and that can be sent.
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
	Source       string `yaml:"source"`
	serve.Config `yaml:",inline"`
	Names        []string `yaml:"names"`
	Legacy       *bool    `yaml:"legacy"`

	Counters  counterFile   `yaml:"performancecounter"`
	Collector collectorFile `yaml:"collector"` // where windows_exporter has it

	Push []targetFile `yaml:"push"`
	Web  Web          `yaml:"web"`
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

// counterFile are the metrics of performancecounter, a list or text that holds one.
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

// ParseConfig reads a configuration file, whose name is in errors. What the text does
// not say is zero. The error joins all that is wrong, each a *winperf.DataError with line
// and column.
func ParseConfig(name string, text []byte) (Config, error) {
	var f file
	check := checker{}
	check.add(strictyaml.Decode(name, text, &f))

	c := Config{Source: f.Source, Config: f.Config, Web: f.Web}
	c.NoLegacy = f.Legacy != nil && !*f.Legacy
	for i := range f.Push {
		c.Push = append(c.Push, f.Push[i].Target)
	}
	c.places = strictyaml.PlacesOf(name, text)
	c.checkPositive(&check)
	problems := slices.Concat(f.setNames(&c), c.problems())

	c.Counters = check.generics(slices.Concat(f.Counters.Objects.V, f.Collector.Counters.Objects.V))
	read := c
	c.read = &read
	for _, p := range problems {
		check.add(c.wrong(p))
	}
	return c, check.err()
}

// setNames sets the schemes of names in a configuration, and returns the words that are none.
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

// checkPositive checks that values of the file are more than 0, which is the default where the file has none.
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
