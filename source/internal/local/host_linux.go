package local

import (
	"strings"

	"github.com/winperf/winperf/internal/hostfiles"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source/internal/linuxhost"
)

func openHost(opt Options) (host, error) {
	files, err := hostfiles.Open(opt.Files)
	if err != nil {
		return host{}, err
	}
	name, err := files.Hostname()
	if err != nil {
		return host{}, err
	}

	p, err := linuxhost.New(linuxhost.Options{
		Files: opt.Files, FoldKernelThreads: opt.FoldKernelThreads, Groups: opt.Groups,
	})
	if err != nil {
		return host{}, err
	}

	// Machine names of Windows are in capitals and without a domain, also in logs and in paths of
	// other tools.
	name, _, _ = strings.Cut(name, ".")
	return host{
		machine:  strings.ToUpper(name),
		dispatch: provider.Options{Clocks: linuxhost.Clocks},
		provider: p,
		publish:  !files.Foreign(),
	}, nil
}
