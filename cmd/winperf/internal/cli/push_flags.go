package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winperf/winperf/internal/push"
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
	const labels = "`NAME=VALUE`: a label of all series sent, or attribute of the resource; NAME= takes one away"
	flags.StringArrayVar(&f.labels, "push-label", nil, labels)
	flags.StringVar(&t.PasswordFile, "push-password-file", "", "`FILE` with the password of the user in the URL")
	flags.StringVar(&t.BearerFile, "push-bearer-file", "", "`FILE` with a bearer token")
	flags.StringVar(&t.TLS.CAFile, "push-ca", "", "`FILE` with the certificates to trust (PEM)")
	flags.StringVar(&t.TLS.CertFile, "push-cert", "", "`FILE` with the client's certificate (PEM)")
	flags.StringVar(&t.TLS.KeyFile, "push-key", "", "`FILE` with its key (PEM)")
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
	return t, f.check()
}

// check refuses half of what belongs together.
func (f *pushFlags) check() error {
	if (f.target.TLS.CertFile == "") != (f.target.TLS.KeyFile == "") {
		return errors.New("--push-cert and --push-key belong together")
	}
	return nil
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
