package convert

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/server"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/sink/metrics"
)

func (c *converter) addNames(cmd *cobra.Command) {
	const names = "`NAMES` of metrics: own, windows_exporter, otel (OTLP only)"
	cmd.Flags().StringSliceVar(&c.nameWords, "names", nil, names)
	console.Complete(cmd, "names", cobra.FixedCompletions(
		[]cobra.Completion{"own", "windows_exporter", "otel"}, cobra.ShellCompDirectiveNoFileComp))

	const memory = "with --names: the machine's memory, such as 4G, which logs do not contain, as `SIZE`"
	cmd.Flags().Var((*output.ByteSize)(&c.memory), "physical-memory", memory)
}

// settleNames parses the metric names, and rejects names that the output does not support. format is ""
// for a URL.
func (c *converter) settleNames(format, url string) (err error) {
	if len(c.nameWords) == 0 {
		if c.memory != 0 {
			return errors.New("--physical-memory needs --names windows_exporter or otel")
		}
		return nil
	}
	if c.names, err = server.ParsePushNames(c.nameWords); err != nil {
		return fmt.Errorf("--names: %w", err)
	}

	otlp := strings.HasPrefix(strings.ToLower(url), "otlp")
	switch {
	case format != "" && format != logs.OpenMetrics:
		return errors.New("--names is for metrics: -o openmetrics, or -o remote-write+http://HOST")
	case slices.Contains(c.names, metrics.OTel) && !otlp:
		return errors.New("--names: the names otel are for otlp+http:// and otlp+https:// only")
	}
	return nil
}

func (c *converter) otherNames() bool {
	return slices.ContainsFunc(c.names, func(s metrics.Scheme) bool { return s != metrics.Own })
}

func (c *converter) checkNames() error {
	for _, log := range c.logs {
		if c.memory != 0 && c.machines() {
			return errors.New("--physical-memory: the logs are from several machines")
		}
		if c.otherNames() && log.Source.Describe().Cooked {
			const form = "--names: %s holds displayable values, which have only the names own"
			return fmt.Errorf(form, log.Name)
		}
	}
	return nil
}

func notTarget(output string) error {
	scheme, rest, ok := strings.Cut(output, "://")
	if !ok || len(scheme) < 2 { // one letter is a drive
		return nil
	}
	u, err := url.Parse(output)
	if scheme = strings.ToLower(scheme); err != nil || rest == "" || scheme != "http" && scheme != "https" {
		target := push.Target{URL: output}
		return target.Check()[0].Err
	}

	near := []string{"remote-write+" + u.Redacted(), "otlp+" + u.Redacted()}
	switch {
	case u.Port() == "4318" || strings.HasSuffix(u.Path, "/v1/metrics"):
		near = near[1:]
	case strings.HasSuffix(u.Path, "/write") || strings.HasSuffix(u.Path, "/push"):
		near = near[:1]
	}
	return fmt.Errorf("-o %s: did you mean %s?", u.Redacted(), strings.Join(near, ", or "))
}
