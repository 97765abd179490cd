package serving

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf/cmd/winperf/internal/server"
	"github.com/winperf/winperf/sink/metrics"
)

// addExporter adds flags of windows_exporter that are hidden in the help, and its names of other flags.
func (s *serveFlags) addExporter(cmd *cobra.Command) {
	f := cmd.Flags()
	s.options = map[string]*string{}
	for _, option := range server.CollectorOptions() {
		name := "collector." + option
		s.options[option] = f.String(name, "", "as in windows_exporter")
		f.Lookup(name).Hidden = true
	}
	for _, key := range server.IneffectiveKeys() { // the installer of windows_exporter passes --log.file
		f.String(key, "", "as in windows_exporter")
		f.Lookup(key).Hidden = true
	}
	f.Lookup("web.disable-exporter-metrics").NoOptDefVal = "true"
	for _, name := range []string{"process.iis", "process.cmdline", "update.online"} { // true or false
		f.Lookup("collector." + name).NoOptDefVal = "true"
	}

	names := map[string]string{
		"config.file": "config", "telemetry.path": "web.telemetry-path", "debug.enabled": "web.enable-pprof",
		"scrape.timeout-margin": "timeout-offset",
	}
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(cmp.Or(names[name], name))
	})
}

// loadCollectors sets the collectors of windows_exporter and their options.
func (s *serveFlags) loadCollectors(given func(flag string) bool, c *server.Config) (err error) {
	for _, option := range server.CollectorOptions() {
		if given("collector." + option) {
			if err := c.SetCollector(option, *s.options[option]); err != nil {
				return err
			}
		}
	}
	for _, key := range server.IneffectiveKeys() {
		if given(key) {
			c.SetIneffective(key)
		}
	}
	if !given("collectors.enabled") {
		return nil
	}

	if c.Collectors, err = server.ParseCollectors(s.collectors); err != nil {
		return fmt.Errorf("--collectors.enabled: %w", err)
	}
	if len(c.Names) == 0 {
		c.Names = []metrics.Scheme{metrics.WindowsExporter}
	}
	return nil
}
