package server

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
)

// exporterFile has the keys of windows_exporter's configuration files, except log and debug, which are also
// keys of winperf, and web.
type exporterFile struct {
	Collectors *struct {
		Enabled *string `yaml:"enabled"`
	} `yaml:"collectors"`
	Collector *collectorFile `yaml:"collector"`
	Process   struct {
		Priority    strictyaml.Any `yaml:"priority"`
		MemoryLimit strictyaml.Any `yaml:"memory-limit"`
	} `yaml:"process"`
	Scrape struct {
		TimeoutMargin seconds `yaml:"timeout-margin"`
	} `yaml:"scrape"`
	Telemetry struct {
		Path string `yaml:"path"`
	} `yaml:"telemetry"`
}

type collectorFile struct {
	Counters counterFile                          `yaml:"performancecounter"`
	Others   map[string]map[string]strictyaml.Any `yaml:",rest"`
}

// exporterWeb has the keys of web in both kinds of files.
type exporterWeb struct {
	Web    `yaml:",inline"`
	Listen strictyaml.Any `yaml:"listen-address"` // a text or a list
	Config struct {
		File string `yaml:"file"`
	} `yaml:"config"`
	NoExporterMetrics strictyaml.Any `yaml:"disable-exporter-metrics"`
}

// seconds is a time in seconds, which may be written as text.
type seconds time.Duration

// UnmarshalText parses a number of seconds, or a time with units.
func (s *seconds) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		d, err = time.ParseDuration(string(text) + "s")
	}
	if err != nil {
		return fmt.Errorf("expected a number of seconds, found %q", text)
	}
	*s = seconds(d)
	return nil
}

// ineffective are the keys of windows_exporter that winperf accepts without effect, and the reasons.
var ineffective = map[string]string{
	"log.file":                     "messages are written to standard error, or by a service to the event log",
	"process.priority":             "set the priority where the service is configured",
	"process.memory-limit":         "set the environment variable GOMEMLIMIT",
	"web.disable-exporter-metrics": "metrics about winperf are always served",
}

// apply sets the values of windows_exporter's keys in c, unless winperf's own keys set them. counters reports
// whether the file has objects of performancecounter.
func (f *exporterFile) apply(c *Config, counters bool, check *checker) {
	if f.Collectors != nil || f.Collector != nil {
		c.Collectors = slices.Clone(serve.DefaultCollectors)
		if counters {
			c.Collectors = append(c.Collectors, "performancecounter")
		}
		if _, named := c.places["names"]; !named {
			c.Names = []metrics.Scheme{metrics.WindowsExporter}
		}
	}
	if f.Collectors != nil && f.Collectors.Enabled != nil {
		var err error
		if c.Collectors, err = ParseCollectors(*f.Collectors.Enabled); err != nil {
			check.add(c.places["collectors.enabled"].Errorf("enabled: %w", err))
		}
	}
	if f.Collector != nil {
		f.Collector.apply(c, check)
	}

	if margin := time.Duration(f.Scrape.TimeoutMargin); c.TimeoutOffset == 0 {
		c.TimeoutOffset = margin
	}
	c.Web.TelemetryPath = cmp.Or(c.Web.TelemetryPath, f.Telemetry.Path)
}

func (f *exporterWeb) apply(c *Config) {
	c.Web.ConfigFile = cmp.Or(c.Web.ConfigFile, f.Config.File)
	if len(c.Web.Listen) == 0 {
		c.Web.Listen = c.texts("web.listen-address")
	}
}

// noteIneffective adds a note about each key of the file that has no effect.
func (c *Config) noteIneffective() {
	for _, key := range slices.Sorted(maps.Keys(ineffective)) {
		if place, there := c.places[key]; there {
			c.notes = append(c.notes, place.Key.Errorf("%s has no effect: %s", key, ineffective[key]))
		}
	}
}

// texts returns the texts of a list in the file, or its only text.
func (c *Config) texts(key string) (list []string) {
	if text := c.places[key].Text; text != "" {
		return []string{text}
	}
	for i := 0; ; i++ {
		place, there := c.places[key+"["+strconv.Itoa(i)+"]"]
		if !there {
			return list
		}
		list = append(list, place.Text)
	}
}

// otherKeys are the keys of the collectors pagefile and smbclient in windows_exporter's files.
var otherKeys = []string{"paging", "smb_client"}

func (f *collectorFile) apply(c *Config, check *checker) {
	for _, name := range slices.Sorted(maps.Keys(f.Others)) {
		place := c.places["collector."+name]
		if !slices.Contains(exporterCollectors, name) && !slices.Contains(otherKeys, name) {
			check.add(place.Key.Errorf("unknown collector %q%s", name, didYouMean(name, exporterCollectors)))
			continue
		}

		for _, option := range slices.Sorted(maps.Keys(f.Others[name])) {
			place := c.places["collector."+name+"."+option]
			effect, err := c.setCollector(name+"."+option, place.Text)
			switch {
			case err != nil:
				check.add(place.Errorf("%s: %w", option, err))
			case effect != "":
				note := place.Key.Errorf("collector.%s.%s has no effect: %s", name, option, effect)
				c.notes = append(c.notes, note)
			}
		}
	}
}
