package input

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/sink/metrics"
)

// PushFlags say how a target of metrics is asked.
type PushFlags struct {
	Headers []string
	Labels  []string
	Target  push.Target
}

// Add adds the flags to a command.
func (f *PushFlags) Add(cmd *cobra.Command) {
	flags, t := cmd.Flags(), &f.Target
	flags.StringArrayVar(&f.Headers, "push-header", nil, "`NAME=VALUE`: a header of each request that sends metrics")
	const labels = "`NAME=VALUE`: a label of all series that are sent or written as openmetrics, " +
		"or attribute of the resource; NAME= takes one away"
	flags.StringArrayVar(&f.Labels, "push-label", nil, labels)
	flags.StringVar(&t.PasswordFile, "push-password-file", "", "`FILE` with the password of the user in the URL")
	flags.StringVar(&t.BearerFile, "push-bearer-file", "", "`FILE` with a bearer token")
	flags.StringVar(&t.TLS.CAFile, "push-ca", "", "`FILE` with the certificates to trust (PEM)")
	flags.StringVar(&t.TLS.CertFile, "push-cert", "", "`FILE` with the client's certificate (PEM)")
	flags.StringVar(&t.TLS.KeyFile, "push-key", "", "`FILE` with its key (PEM)")
	const serverName = "`NAME` that the other side's certificate must have; by default its host"
	flags.StringVar(&t.TLS.ServerName, "push-server-name", "", serverName)
	flags.BoolVar(&t.TLS.Insecure, "push-insecure", false, "take any certificate of the other side")
}

// Settle returns the target of a URL, which is sent metrics of a machine with a system.
func (f *PushFlags) Settle(url, machine, system string) (push.Target, error) {
	t := f.Target
	t.URL, t.UserAgent = url, "winperf/"+console.Version()
	t.Labels, t.Resource = push.Identity(machine, system, console.Version())

	var err error
	if t.Headers, err = Pairs("--push-header", f.Headers); err != nil {
		return t, err
	}
	labels, err := Pairs("--push-label", f.Labels)
	if err != nil {
		return t, err
	}
	t.AddLabels(labels)
	return t, nil
}

// SeriesLabels are the labels of all metrics that are written as text: those that are sent, but for the
// machine, which each log has its own of.
func (f *PushFlags) SeriesLabels() ([]metrics.Label, error) {
	labels, err := Pairs("--push-label", f.Labels)
	if err != nil {
		return nil, err
	}
	for name, value := range labels {
		if err := push.CheckLabel(metrics.Label{Name: name, Value: value}); err != nil {
			return nil, fmt.Errorf("--push-label: %w", err)
		}
	}

	var t push.Target
	t.Labels, _ = push.Identity("", "", "")
	t.AddLabels(labels)
	all := slices.DeleteFunc(t.Labels, func(l metrics.Label) bool {
		_, given := labels[l.Name]
		return given && l.Value == ""
	})
	slices.SortFunc(all, func(a, b metrics.Label) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Sets reports whether a label was given, with a value or without.
func (f *PushFlags) Sets(label string) bool {
	return slices.ContainsFunc(f.Labels, func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		return name == label
	})
}

// PerMachine are the attributes of a resource that name the machine and were not given. Where the user has
// one instance for all, there are none: all is of one resource.
func (f *PushFlags) PerMachine() (names []string) {
	if f.Sets(logs.InstanceLabel) || f.Sets("service.instance.id") {
		return nil
	}
	names = []string{"service.instance.id"}
	if !f.Sets("host.name") {
		names = append(names, "host.name")
	}
	return names
}

// Pairs reads what a flag says as NAME=VALUE.
func Pairs(flag string, texts []string) (map[string]string, error) {
	all := map[string]string{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%s %q: expected NAME=VALUE", flag, text)
		}
		all[name] = value
	}
	return all, nil
}

// Tenants are the headers that say to whom samples are sent, where a target is several in one. Others may be
// secret, and are not written to any file.
func (f *PushFlags) Tenants() (all []string) {
	for _, header := range f.Headers {
		switch name, value, _ := strings.Cut(header, "="); http.CanonicalHeaderKey(name) {
		case "X-Scope-Orgid", "Thanos-Tenant":
			all = append(all, http.CanonicalHeaderKey(name)+"="+value)
		}
	}
	return all
}
