package input

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/sink/metrics"
)

// PushFlags are the options for requests to a metrics receiver.
type PushFlags struct {
	Headers []string
	Labels  []string
	Target  push.Target
}

// Add adds the flags to a command.
func (f *PushFlags) Add(cmd *cobra.Command) {
	flags, t := cmd.Flags(), &f.Target
	flags.StringArrayVar(&f.Headers, "push-header", nil,
		"`NAME=VALUE` header of each request that sends metrics")
	const labels = "`NAME=VALUE` label of all series; with OTLP, an attribute of the resource; " +
		"may be repeated; NAME= removes it"
	flags.StringArrayVar(&f.Labels, "push-label", nil, labels)
	flags.StringVar(&t.PasswordFile, "push-password-file", "", "`FILE` with the password of the URL's user")
	flags.StringVar(&t.BearerFile, "push-bearer-file", "", "`FILE` with a bearer token")
	flags.StringVar(&t.TLS.CAFile, "push-ca", "", "`FILE` with trusted certificates (PEM)")
	flags.StringVar(&t.TLS.CertFile, "push-cert", "", "`FILE` with the client certificate (PEM)")
	flags.StringVar(&t.TLS.KeyFile, "push-key", "", "`FILE` with the key of the client certificate (PEM)")
	const serverName = "`NAME` in the receiver's certificate (default: the URL's host)"
	flags.StringVar(&t.TLS.ServerName, "push-server-name", "", serverName)
	flags.BoolVar(&t.TLS.Insecure, "push-insecure", false, "accept any certificate of the receiver")
}

// Settle returns the receiver for a URL, for metrics of a machine with an operating system.
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

// CheckUnsent returns an error for flags that have no effect because nothing is sent. Labels are written to
// a file with metrics, too.
func (f *PushFlags) CheckUnsent(metrics bool) error {
	t := f.Target
	switch {
	case len(f.Headers) > 0 || t.PasswordFile != "" || t.BearerFile != "" || t.TLS != (push.TLS{}):
		return errors.New("--push-header, --push-password-file and so on are for sending:" +
			" -o remote-write+http://HOST")
	case len(f.Labels) > 0 && !metrics:
		return errors.New("--push-label is for metrics: -o openmetrics, or -o remote-write+http://HOST")
	}
	return nil
}

// SeriesLabels returns the labels of all metrics written as text: the labels that are sent, except the
// machine, which depends on the log.
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
	sorted.Func(all, func(a, b metrics.Label) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Sets reports whether a label was given, even without a value.
func (f *PushFlags) Sets(label string) bool {
	return slices.ContainsFunc(f.Labels, func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		return name == label
	})
}

// PerMachine returns the resource attributes that identify a machine and were not given. It returns none
// if the user set one instance for all.
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

// Pairs parses NAME=VALUE texts of a flag.
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

// Tenants returns the headers that select a tenant of the receiver. Other headers may be secret and are
// not written to files.
func (f *PushFlags) Tenants() (all []string) {
	for _, header := range f.Headers {
		switch name, value, _ := strings.Cut(header, "="); http.CanonicalHeaderKey(name) {
		case "X-Scope-Orgid", "Thanos-Tenant":
			all = append(all, http.CanonicalHeaderKey(name)+"="+value)
		}
	}
	return all
}
