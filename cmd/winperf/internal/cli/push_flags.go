package cli

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/sink/metrics"
)

// pushFlags say how a target of metrics is asked.
type pushFlags struct {
	headers []string
	labels  []string
	target  push.Target
}

func (f *pushFlags) add(cmd *cobra.Command) {
	flags, t := cmd.Flags(), &f.target
	flags.StringArrayVar(&f.headers, "push-header", nil, "`NAME=VALUE`: a header of each request that sends metrics")
	const labels = "`NAME=VALUE`: a label of all series that are sent or written as openmetrics, " +
		"or attribute of the resource; NAME= takes one away"
	flags.StringArrayVar(&f.labels, "push-label", nil, labels)
	flags.StringVar(&t.PasswordFile, "push-password-file", "", "`FILE` with the password of the user in the URL")
	flags.StringVar(&t.BearerFile, "push-bearer-file", "", "`FILE` with a bearer token")
	flags.StringVar(&t.TLS.CAFile, "push-ca", "", "`FILE` with the certificates to trust (PEM)")
	flags.StringVar(&t.TLS.CertFile, "push-cert", "", "`FILE` with the client's certificate (PEM)")
	flags.StringVar(&t.TLS.KeyFile, "push-key", "", "`FILE` with its key (PEM)")
	const serverName = "`NAME` that the other side's certificate must have; by default its host"
	flags.StringVar(&t.TLS.ServerName, "push-server-name", "", serverName)
	flags.BoolVar(&t.TLS.Insecure, "push-insecure", false, "take any certificate of the other side")
}

// settle returns the target of a URL, which is sent metrics of a machine with a system.
func (f *pushFlags) settle(url, machine, system string) (push.Target, error) {
	t := f.target
	t.URL, t.UserAgent = url, "winperf/"+version()
	t.Labels, t.Resource = push.Identity(machine, system, version())

	var err error
	if t.Headers, err = pairs("--push-header", f.headers); err != nil {
		return t, err
	}
	labels, err := pairs("--push-label", f.labels)
	if err != nil {
		return t, err
	}
	t.AddLabels(labels)
	return t, nil
}

// seriesLabels are the labels of all metrics that are written as text: those that are sent, but for the machine, which
// each log has its own of.
func (f *pushFlags) seriesLabels() ([]metrics.Label, error) {
	labels, err := pairs("--push-label", f.labels)
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

// sets reports whether a label was given, with a value or without.
func (f *pushFlags) sets(label string) bool {
	return slices.ContainsFunc(f.labels, func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		return name == label
	})
}

// perMachine are the attributes of a resource that name the machine and were not given. Where the user has
// one instance for all, there are none: all is of one resource.
func (f *pushFlags) perMachine() (names []string) {
	if f.sets(logs.InstanceLabel) || f.sets("service.instance.id") {
		return nil
	}
	names = []string{"service.instance.id"}
	if !f.sets("host.name") {
		names = append(names, "host.name")
	}
	return names
}

// pairs reads what a flag says as NAME=VALUE.
func pairs(flag string, texts []string) (map[string]string, error) {
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

// tenants are the headers that say to whom samples are sent, where a target is several in one. Others may be
// secret, and are not written to any file.
func (f *pushFlags) tenants() (all []string) {
	for _, header := range f.headers {
		switch name, value, _ := strings.Cut(header, "="); http.CanonicalHeaderKey(name) {
		case "X-Scope-Orgid", "Thanos-Tenant":
			all = append(all, http.CanonicalHeaderKey(name)+"="+value)
		}
	}
	return all
}
