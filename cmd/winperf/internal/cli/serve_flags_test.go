package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/serving"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/settings"
	"github.com/winperf/winperf/cmd/winperf/internal/server"
	"github.com/winperf/winperf/internal/strictyaml"
)

// configFlags are the flags of keys that are called otherwise.
var configFlags = map[string]string{
	"paths": "counters", "objects": "object", "push.url": "push", "push.headers": "push-header",
	"push.labels": "push-label", "push.tls.ca_file": "push-ca", "push.tls.cert_file": "push-cert",
	"push.tls.key_file": "push-key", "push.tls.server_name": "push-server-name",
	"push.tls.insecure_skip_verify": "push-insecure", "push.queue.dir": "push-queue",
	"push.queue.max_size": "push-queue-size", "push.queue.max_age": "push-queue-age",
	"web.config_file": "web.config.file", "scrape.timeout-margin": "timeout-offset",
	"telemetry.path": "web.telemetry-path", "debug.enabled": "web.enable-pprof", "web.config": "web.config.file",
}

// ineffectiveKeys are keys without a flag of their own: keys of windows_exporter, and parts of process_groups.
var ineffectiveKeys = regexp.MustCompile(`^(log\.file|process\..*|web\.disable-exporter-metrics|collector\..*|process_groups\..*)$`)

// TestServeFlags: each key of the configuration has a flag, and each flag a key.
func TestServeFlags(t *testing.T) {
	text, err := os.ReadFile("../server/testdata/all.yml")
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`\[\d+\]`)
	group := regexp.MustCompile(`^(push|push\.tls|push\.queue|web|log|collectors|debug|process|scrape|telemetry|web\.config|push\.(headers|labels)\..*)$`)
	var flags []string
	for key := range strictyaml.PlacesOf("all.yml", text) {
		key = number.ReplaceAllString(key, "")
		if group.MatchString(key) || strings.Contains(key, "performancecounter") || key == "collector" ||
			ineffectiveKeys.MatchString(key) {
			continue
		}
		flag := configFlags[key]
		if flag == "" {
			before, last, _ := strings.Cut(key, ".")
			flag = strings.ReplaceAll(before, "_", "-")
			if last != "" {
				separator := map[string]string{"push": "-", "web": ".", "log": ".", "collectors": "."}[before]
				flag = before + separator + strings.ReplaceAll(last, "_", "-")
			}
		}
		flags = append(flags, flag)
	}

	command := serving.ServeCommand(new(console.App), nil, settings.Commands{})
	for _, flag := range flags {
		if command.Flags().Lookup(flag) == nil {
			t.Errorf("there is no flag --%s", flag)
		}
	}
	command.Flags().VisitAll(func(f *pflag.Flag) {
		// A socket is opened by the command line alone; paths are parts of the source's URL.
		own := []string{"check", "config", "experiments", "help", "keep", "memory", "path.procfs", "path.rootfs", "path.sysfs",
			"unprotected", "view"}
		if !slices.Contains(flags, f.Name) && !slices.Contains(own, f.Name) && !f.Hidden {
			t.Errorf("--%s has no key", f.Name)
		}
	})
}

// The values that the help names are taken.
func TestServeNamesOfHelp(t *testing.T) {
	usage := serving.ServeCommand(&console.App{}, nil, settings.Commands{}).Flag("names").Usage
	_, values, ok := strings.Cut(usage, ": ")
	if !ok {
		t.Fatal(usage)
	}
	for value := range strings.SplitSeq(strings.ReplaceAll(values, " or ", ", "), ", ") {
		if _, err := server.ParseNames(strings.Split(value, ",")); err != nil {
			t.Errorf("%s: %v", usage, err)
		}
	}
}
