package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
)

// Check performs the checks of Run before it listens: it loads the configuration and opens the source and
// the named files. It sends nothing and opens no queue. The error is the one that Run would return. The
// warnings are settings without effect, paths that match nothing now, and intervals shorter than the time
// of a sample.
func Check(ctx context.Context, opt Options) (warnings []error, err error) {
	s := &server{opt: opt.withDefaults()}
	s.log = s.opt.Log
	r, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()

	is := r.source.Describe()
	check := checker{}
	for i := range r.config.Push {
		t := &r.config.Push[i]
		if err := t.canSend(is); err != nil {
			check.add(r.config.wrong(problem{fmt.Sprintf("push[%d].url", i), t.URL, err}))
		}
	}
	if err := check.err(); err != nil {
		return nil, err
	}
	warnings = slices.Concat(r.config.notes, s.unmatched(ctx, r), r.tooOften(ctx))
	sortByPlace(warnings)
	return warnings, nil
}

func (t *Target) canSend(is winperf.Description) error {
	to := t.target("", "")
	switch {
	case is.Recorded:
		const form = "%s: a log cannot be pushed; send it with winperf convert LOG -o %[1]s"
		return fmt.Errorf(form, to.Name())
	case is.Cooked:
		const form = "%s: pushing needs raw values, but the source has none"
		return fmt.Errorf(form, to.Name())
	}
	return nil
}

func (s *server) openSource(ctx context.Context, config *Config) (winperf.Source, error) {
	src, err := s.opt.Open(ctx, config.Source)
	switch {
	case err == nil && src.Describe().Log.Raw:
		const form = "%s holds raw values without their formulas; use the original log for metrics"
		err = errors.Join(fmt.Errorf(form, config.Source), src.Close())
	case err == nil:
		return src, config.checkMachines(src)
	}
	if place, ok := config.places.Find("source", config.Source); ok {
		err = place.Errorf("%w", err)
	}
	return nil, err
}

func (c *Config) checkMachines(src winperf.Source) error {
	is := src.Describe()
	if is.Recorded || is.Machine == "" {
		return nil // the samples have the machine
	}
	check := checker{}
	for _, a := range c.expectedPaths() {
		if err := selection.CheckMachine([]winperf.Path{a.path}, is.Machine); err != nil {
			check.add(c.wrong(problem{a.key, a.text, err}))
		}
	}

	err := check.err()
	if err != nil {
		err = errors.Join(err, src.Close())
	}
	return err
}

func (s *server) unmatched(ctx context.Context, r *running) (warnings []error) {
	all := r.config.expectedPaths()
	if s.opt.Explain == nil || len(all) == 0 {
		return nil
	}
	var paths []winperf.Path
	for _, a := range all {
		paths = append(paths, a.path)
	}

	reasons := s.opt.Explain(ctx, r.source, paths)
	for i := range min(len(all), len(reasons)) {
		if all[i].shouldWarn(reasons[i]) {
			warnings = append(warnings, r.config.wrong(all[i].because(reasons[i])))
		}
	}
	sortByPlace(warnings)
	return warnings
}

// shouldWarn reports whether a path should match something. Excluded objects may be missing on a system,
// but misspelt names are reported.
func (a *expectedPath) shouldWarn(reason string) bool {
	excluded := strings.HasPrefix(a.key, "exclude")
	return reason != "" && (!excluded || strings.Contains(reason, "did you mean"))
}

func (a *expectedPath) because(reason string) problem {
	what := a.path.String()
	if strings.HasPrefix(a.key, "objects") {
		what = a.path.Object
	}
	return problem{a.key, a.text, fmt.Errorf("%s: %s", what, reason)}
}

func (r *running) tooOften(ctx context.Context) (warnings []error) {
	took, err := r.cost(ctx)
	if err != nil {
		return []error{fmt.Errorf("no sample: %w", err)}
	}
	for i := range r.config.Push {
		if is := r.config.Push[i].Interval; is != 0 && is < took {
			const form = "%v is shorter than the %v that a sample takes now: samples will be missed"
			err := fmt.Errorf(form, is, took.Round(time.Millisecond))
			p := problem{fmt.Sprintf("push[%d].interval", i), "", err}
			warnings = append(warnings, r.config.wrong(p))
		}
	}
	return warnings
}

// cost returns the time that a sample takes: the shorter of two, because the first one opens files. It
// returns 0 for a time below the shortest interval.
func (r *running) cost(ctx context.Context) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	opt := measure.Options{Language: r.config.Language, CostlyInterval: r.config.CostlyInterval}
	m := measure.New(r.source, r.exporter.Selection(), opt)
	defer func() { err = errors.Join(err, m.Close()) }()
	first, err := m.Cycle(ctx)
	if err != nil || first.Cost.Sample < measure.LeastInterval {
		return 0, err
	}

	took = first.Cost.Sample
	select {
	case <-ctx.Done():
	case <-time.After(measure.LeastInterval):
	}
	if second, err := m.Cycle(ctx); err == nil {
		took = min(took, second.Cost.Sample)
	}
	return took, nil
}

// restartKeys returns the keys whose values changed since the start and that need a restart.
func (s *server) restartKeys(next *Config) (keys []string) {
	w, to := &s.web, &next.Web
	for _, k := range []struct {
		key  string
		same bool
	}{
		{"log.format", s.logging.Format == next.Log.Format},
		{"log.level", s.logging.Level == next.Log.Level},
		{"web.listen_address", slices.Equal(w.Listen, to.Listen)},
		{"web.config_file", w.ConfigFile == to.ConfigFile},
		{"web.systemd_socket", w.SystemdSocket == to.SystemdSocket},
		{"web.max_connections", w.MaxConnections == to.MaxConnections},
		{"web.telemetry_path", w.TelemetryPath == to.TelemetryPath},
		{"web.enable_pprof", w.Pprof == to.Pprof},
		{"source of --view", s.view == nil || s.shown[0] == next.Source},
		{"language of --view", s.view == nil || s.shown[1] == next.Language},
	} {
		if !k.same {
			keys = append(keys, k.key)
		}
	}

	return keys
}

func lateNote(keys []string) string {
	return "used only after a restart: " + strings.Join(keys, ", ")
}

const maxWarnings = 20

// warn logs in the background the settings without effect and the paths that match nothing. The caller must
// be using the configuration.
func (s *server) warn(r *running) {
	r.users.Add(1)
	s.closing.Go(func() {
		defer r.users.Done()
		for _, note := range r.config.notes {
			s.log.Warn(note.Error())
		}
		warnings := s.unmatched(s.base, r)
		for i, w := range warnings {
			if i == maxWarnings {
				s.log.Warn(fmt.Sprintf("%d more paths match nothing", len(warnings)-i))
				break
			}
			s.log.Warn(w.Error())
		}
	})
}
