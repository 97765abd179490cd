package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/trial"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/source"
)

func (r *runner) runFile(ctx context.Context, name string) error {
	text, err := input.ReadRegistrationFile(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		const form = "%s: no such experiment file; to run a command write winperf run -- %[1]s"
		return fmt.Errorf(form, name)
	}
	if err != nil {
		return err
	}
	f, faults := trial.ReadFile(name, text)
	if f == nil {
		return faults
	}

	abort, stop := console.UntilSecond()
	defer stop()
	opener := r.opener()
	opener.Abort, opener.Experiments = abort, r.attach
	if err := r.checkFile(ctx, f, faults, opener); err != nil || r.check {
		return err
	}

	if f.Seed = cmp.Or(r.seed, f.Seed); f.Seed == 0 {
		f.Seed = trial.DrawSeed()
	}
	opt := f.Trials()
	r.checkRepeated(&opt)
	if r.folder == "" {
		r.folder = freeName(f.Name.V + "-" + time.Now().Format("20060102-150405"))
	}
	folder, err := r.create(&opt)
	if err != nil {
		return err
	}
	return r.runSession(ctx, f, text, folder, opener)
}

// freeName returns an unused name, with a number if the name exists.
func freeName(name string) string {
	free := name
	for n := 2; n < 1000; n++ {
		if _, err := os.Lstat(free); err != nil {
			break
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// checkFile runs the checks that need open sources, before anything is created. faults are the errors of
// the file's text.
func (r *runner) checkFile(ctx context.Context, f *trial.File, faults error, opener *trial.Opener) error {
	if r.folder != "" {
		faults = errors.Join(faults, trial.CanKeep(r.folder))
	}
	absent, err := trial.Check(ctx, f, faults, opener)

	for _, err := range f.Warnings() {
		r.app.Complain(err)
	}
	for _, a := range absent {
		// An instance can begin with the command. The report lists instances that never did.
		if r.check || a.Status != counter.NoInstance {
			r.app.Complain(a.Err)
		}
		r.app.Partial = r.app.Partial || r.check && a.Status != counter.NoInstance
	}
	return err
}

func (r *runner) runSession(
	ctx context.Context, f *trial.File, text []byte, folder *trial.Folder, opener *trial.Opener,
) (err error) {
	defer func() { err = errors.Join(err, folder.Close()) }()
	if err := folder.Keep(trial.FileExperiment, text); err != nil {
		return err
	}
	s, err := trial.Prepare(ctx, f, folder, opener)
	if err != nil {
		return errors.Join(err, folder.Discard())
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	r.begun = true
	opt := f.Trials()
	done := 0
	out, err := s.Run(ctx, func(*trial.Result) error {
		done++
		r.progress(&opt, done)
		return nil
	})
	report := r.outcome(f, &out, folder.Path)
	_, printed := fmt.Fprint(r.app.Stderr, report)
	return errors.Join(err, printed, folder.Keep(trial.FileReport, []byte(report)))
}

func (r *runner) opener() *trial.Opener {
	return &trial.Opener{
		Source: func(ctx context.Context, url string) (winperf.Source, error) {
			return input.OpenSource(ctx, r.app, url, source.Options{})
		},
		Lines: r.openLines,
		Listen: func(ctx context.Context, path string) (net.Listener, error) {
			return listenAt(ctx, path)
		},
		Reason: func(ctx context.Context, src winperf.Source, p winperf.Path, s counter.Status) string {
			c := catalogue.ReadCatalogue(ctx, src, false, p)
			defer c.Close()
			return c.Reason(p, s)
		},
		Stdout: r.app.Stdout, Stderr: r.app.Stderr,
	}
}

func listenAt(ctx context.Context, path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		c, err := new(net.Dialer).DialContext(ctx, "unix", path)
		if err == nil {
			return nil, errors.Join(fmt.Errorf("%s: another program listens on it", path), c.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	var c net.ListenConfig
	return c.Listen(ctx, "unix", path)
}

// openLines opens a source of event lines. It opens a pipe also for writing, if possible, so that it does
// not end with its first writer.
func (r *runner) openLines(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "stdin" {
		in, err := r.app.Input("events")
		return io.NopCloser(in), err
	}
	return call.Once(ctx, func() (io.ReadCloser, error) {
		if info, err := os.Stat(name); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			return os.OpenFile(name, os.O_RDWR, 0)
		}
		return os.Open(name)
	})
}

func (r *runner) outcome(f *trial.File, out *trial.Outcome, folder string) string {
	var b strings.Builder
	if len(f.Commands) > 0 {
		opt := f.Trials()
		b.WriteString(r.report(out.Results) + r.left(&opt, out.Results))
	}
	if len(f.Bindings) > 0 {
		r.writeRecords(&b, out)
	}
	if k := out.Kept; k.Samples+k.Missed > 0 {
		fmt.Fprintf(&b, "%d raw samples%s\n", k.Samples, countText(k.Missed, "missed"))
	}

	for _, summary := range out.Summaries {
		writeStatistics(&b, summary)
	}
	fmt.Fprintf(&b, "\nresults in %s\n", safetext.Line(folder))
	return b.String()
}
