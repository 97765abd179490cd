package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/server"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// serveFlags is the serve command.
type serveFlags struct {
	app    *console.App
	host   *Hosted // the service manager; nil for none
	source input.SourceFlags
	sel    input.SelectFlags
	flags  server.Config // what the flags say
	names  []string
	legacy bool
	costly input.Interval
	limit  input.Interval
	offset input.Interval
	file   string
	check  bool
	attach bool // --experiments

	push      []string // URLs
	pushNames []string
	interval  input.Interval
	queue     server.Queue
	age       input.Interval // of queue
	target    input.PushFlags
}

const serveHelp = `Serve answers scrapes of Prometheus at /metrics. Each scrape takes a sample; scrapes
that come at the same time share it. Metrics are raw values in base units, so
that rate() of them is what the other commands show. Without a path it serves all
objects that are not costly, except Thread, which --object '*' adds. Costly objects,
which are served if they are named or with --costly, are sampled beside the others at
their own pace.

A scrape may ask for a part: /metrics?object=Memory&path=\Process(*)\ID%20Process.
It gets an answer within the time that Prometheus allows it. What is not there by
then is left out, and winperf_object_up tells so.

With --push, or targets in the file, samples are taken at an interval too and sent. What
a target does not take waits on disk, also when the program ends and begins again.

Of a log it serves the last sample with all its objects, as long as it runs. The first
scrape gets the sample before the last, so that rates have something to begin with.

By default it listens on this machine only. Certificates and passwords stand in
the file of --web.config.file, in the form that all exporters share.

The file of --config has everything that flags have but --experiments, in YAML; flags
go before it.
SIGHUP, or with --web.enable-lifecycle a POST to /-/reload, reads it again; if it
is wrong, the old one stays in use. --check does what is done before serving, and
ends: with status 0, or with all that is wrong, by line and column. That a path
matches nothing is a warning, here and at the start: what it names may come later.

With --experiments programs of the same account can attach experiments to the server
(winperf experiment attach serve). They measure this machine, whatever the server's
source is, and can write files and start programs. Without it no socket is opened.

Exit status: 0 done, 1 the server could not begin or had to end.`

// Hosted is what a service manager wants of a command that it runs for long.
type Hosted struct {
	Ready  func()          // to be called when it serves
	Reload <-chan struct{} // asks to read the configuration again
}

// ServeCommand returns the command serve.
func ServeCommand(a *console.App, host *Hosted) *cobra.Command {
	s := &serveFlags{app: a, host: host}
	cmd := &cobra.Command{
		Use:   "serve [PATH...]",
		Short: "Serve counters to Prometheus",
		Long:  serveHelp,
		Example: `  winperf serve
  winperf serve '\Processor(*)\*' '\Memory\*' --web.listen-address :9182
  winperf serve --names own,windows_exporter
  winperf serve --source load.blg
  winperf serve --push remote-write+http://localhost:9090 --push-interval 10
  winperf serve --config winperf.yml --check`,
	}
	cmd.RunE = s.run
	s.add(cmd)
	return cmd
}

func (s *serveFlags) add(cmd *cobra.Command) {
	s.source.Add(cmd)
	s.sel.AddPaths(cmd, &s.source)
	f := cmd.Flags()
	const object = "`NAME` of an object to serve whole; may be given several times"
	f.StringArrayVar(&s.flags.Objects, "object", nil, object)
	f.BoolVar(&s.flags.Costly, "costly", false, "serve costly objects too")
	f.Var(&s.costly, "costly-interval", "least time between two samples of costly objects (default 1m)")

	f.StringSliceVar(&s.names, "names", nil, "`NAMES` of metrics: own, windows_exporter or own,windows_exporter")
	f.BoolVar(&s.flags.Totals, "totals", false, "serve instances that sum up others, such as _Total")
	const legacy = "with windows_exporter's names, those too that newer versions dropped"
	f.BoolVar(&s.legacy, "legacy", true, legacy)
	f.IntVar(&s.flags.MaxSeries, "max-series", 0, "limit of the series in a scrape, `N`; 0 is none")
	f.Var(&s.limit, "timeout", "limit of a scrape that tells none itself (default 10s)")
	const offset = "what is taken off the limit that a scrape tells, for the way back (default 500ms)"
	f.Var(&s.offset, "timeout-offset", offset)
	s.addPush(cmd)

	f.StringVar(&s.file, "config", "", "`FILE` with the configuration, in YAML")
	const check = "tell what is wrong with the configuration, the files it names and the source, and end"
	f.BoolVar(&s.check, "check", false, check)
	f.BoolVar(&s.attach, "experiments", false, input.ExperimentsUsage)
	s.addWeb(cmd)

	console.Complete(cmd, "names", cobra.FixedCompletions([]cobra.Completion{"own", "windows_exporter"},
		cobra.ShellCompDirectiveNoFileComp))
	pushed := []cobra.Completion{"own", "windows_exporter", "otel"}
	console.Complete(cmd, "push-names", cobra.FixedCompletions(pushed, cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = input.CompletePath(&s.source)
}

// addPush adds the flags about what is sent.
func (s *serveFlags) addPush(cmd *cobra.Command) {
	f := cmd.Flags()
	const push = "send samples to this `URL` too: remote-write+http://HOST or otlp+http://HOST (or https);" +
		" may be given several times"
	f.StringArrayVar(&s.push, "push", nil, push)
	f.Var(&s.interval, "push-interval", "time between two samples that are sent (default 15s)")
	const names = "`NAMES` of metrics that are sent: own, windows_exporter, otel (OTLP only);" +
		" as --names by default"
	f.StringSliceVar(&s.pushNames, "push-names", nil, names)
	const queue = "`DIR` of what the target did not take yet; by default one by its address"
	f.StringVar(&s.queue.Dir, "push-queue", "", queue)
	f.Var((*output.ByteSize)(&s.queue.MaxBytes), "push-queue-size", "limit of that: 500M, 1G (default 256M)")
	f.Var(&s.age, "push-queue-age", "limit of its age (default 48h)")
	s.target.Add(cmd)
}

// addWeb adds the flags about how the server is reached, as all exporters have them.
func (s *serveFlags) addWeb(cmd *cobra.Command) {
	f := cmd.Flags()
	const listen = "`ADDRESS` to listen on; may be given several times (default " + server.DefaultAddress + ")"
	f.StringArrayVar(&s.flags.Web.Listen, "web.listen-address", nil, listen)
	f.StringVar(&s.flags.Web.ConfigFile, "web.config.file", "", "`FILE` with certificates and passwords")
	f.BoolVar(&s.flags.Web.SystemdSocket, "web.systemd-socket", false, "listen on the sockets of systemd")
	f.BoolVar(&s.flags.Web.Lifecycle, "web.enable-lifecycle", false, "reload with POST or PUT of /-/reload")
	const connections = "limit of connections at once for each address, `N` (default 512)"
	f.IntVar(&s.flags.Web.MaxConnections, "web.max-connections", 0, connections)
}

func (s *serveFlags) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	paths, err := input.Paths(ctx, s.app, args, &s.sel)
	if err != nil {
		for _, arg := range args {
			if ext := filepath.Ext(arg); ext == ".yml" || ext == ".yaml" {
				return fmt.Errorf("%q is no counter path (did you mean --config %s?)", arg, arg)
			}
		}
		return input.QuoteHint(ctx, []string{s.source.Source}, args, nil, err)
	}
	if s.flags.Exclude, err = input.ParsePaths(s.sel.Exclude); err != nil {
		return err
	}
	s.flags.Paths = paths
	if err := needPush(cmd.Flags()); err != nil {
		return err
	}

	changed := cmd.Flags().Changed
	load := func(context.Context) (server.Config, error) { return s.load(changed) }
	opt := server.Options{
		Load: load, Open: s.open, Explain: input.Unmatched, Version: console.Version(),
		Log: s.app.Logger(), Listening: s.tell,
	}
	if s.check {
		warnings, err := server.Check(ctx, opt)
		for _, w := range warnings {
			s.app.Complain(fmt.Errorf("warning: %w", w))
		}
		return err
	}

	opt.Reload = console.TakeHangups(ctx)
	if s.host != nil {
		opt.Reload = s.host.Reload
	}
	if s.attach {
		stop, err := input.OpenExperiments(ctx, "serve", nil)
		if err != nil {
			return err
		}
		defer stop()
	}
	return server.Run(ctx, opt)
}

// open opens the source.
func (s *serveFlags) open(ctx context.Context, url string) (winperf.Source, error) {
	return input.OpenSource(ctx, s.app, url, source.Options{})
}

// tell says where the server can be reached, and tells who started it that it can be.
func (s *serveFlags) tell(urls []string) {
	for _, url := range urls {
		fmt.Fprintf(s.app.Stderr, "winperf: serving %s\n", url)
	}
	if s.host != nil {
		s.host.Ready()
	}
	if _, err := daemon.SdNotify(false, daemon.SdNotifyReady); err != nil {
		s.app.Complain(fmt.Errorf("systemd: %w", err))
	}
}

// maxConfig bounds what is read of a configuration; that it is too long is told by who parses it.
const maxConfig = 2 << 20

// load reads the configuration, of which the flags that were given replace what they say.
func (s *serveFlags) load(given func(flag string) bool) (c server.Config, err error) {
	if s.file != "" {
		if c, err = readConfig(s.file); err != nil {
			return c, err
		}
	}
	if c.Source == "" || given("source") {
		c.Source = s.source.Source
	}
	if given("language") {
		c.Language = string(s.source.Language)
	}
	if len(s.flags.Paths) > 0 || given("object") {
		c.Paths, c.Objects = s.flags.Paths, s.flags.Objects
	}
	if given("exclude") {
		c.Exclude = s.flags.Exclude
	}

	if given("names") {
		if c.Names, err = server.ParseNames(s.names); err != nil {
			return c, fmt.Errorf("--names: %w", err)
		}
	}
	overrule(given, "costly", &c.Costly, s.flags.Costly)
	overrule(given, "totals", &c.Totals, s.flags.Totals)
	overrule(given, "legacy", &c.NoLegacy, !s.legacy)
	overrule(given, "max-series", &c.MaxSeries, s.flags.MaxSeries)
	overrule(given, "costly-interval", &c.CostlyInterval, time.Duration(s.costly))
	overrule(given, "timeout", &c.Timeout, time.Duration(s.limit))
	overrule(given, "timeout-offset", &c.TimeoutOffset, time.Duration(s.offset))

	if given("push") {
		if c.Push, err = s.targets(c.Names); err != nil {
			return c, err
		}
	}

	overrule(given, "web.listen-address", &c.Web.Listen, s.flags.Web.Listen)
	overrule(given, "web.config.file", &c.Web.ConfigFile, s.flags.Web.ConfigFile)
	overrule(given, "web.systemd-socket", &c.Web.SystemdSocket, s.flags.Web.SystemdSocket)
	overrule(given, "web.enable-lifecycle", &c.Web.Lifecycle, s.flags.Web.Lifecycle)
	overrule(given, "web.max-connections", &c.Web.MaxConnections, s.flags.Web.MaxConnections)
	return c, nil
}

// needPush refuses flags about targets that no flag names: those of the file have settings of their own.
func needPush(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		if strings.HasPrefix(flag.Name, "push-") && !f.Changed("push") {
			const form = "--%s is about the targets of --push, and there is none; " +
				"those of a file have settings of their own there"
			err = fmt.Errorf(form, flag.Name)
		}
	})
	return err
}

// targets are those of the flags.
func (s *serveFlags) targets(names []metrics.Scheme) (all []server.Target, err error) {
	t := s.target.Target
	to := server.Target{
		Names: names, Interval: time.Duration(s.interval), Queue: s.queue,
		PasswordFile: t.PasswordFile, BearerFile: t.BearerFile, TLS: server.TLS(t.TLS),
	}

	to.Queue.MaxAge = time.Duration(s.age)
	if len(s.pushNames) > 0 {
		if to.Names, err = server.ParsePushNames(s.pushNames); err != nil {
			return nil, fmt.Errorf("--push-names: %w", err)
		}
	}

	if to.Headers, err = input.Pairs("--push-header", s.target.Headers); err != nil {
		return nil, err
	}
	if to.Labels, err = input.Pairs("--push-label", s.target.Labels); err != nil {
		return nil, err
	}

	for _, url := range s.push {
		to.URL = url
		all = append(all, to)
	}
	return all, nil
}

// overrule sets what a flag says, if it was given.
func overrule[T any](given func(string) bool, flag string, to *T, v T) {
	if given(flag) {
		*to = v
	}
}

// readConfig reads a configuration file.
func readConfig(name string) (c server.Config, err error) {
	f, err := os.Open(name)
	if err != nil {
		return c, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig))
	if err != nil {
		var of *fs.PathError
		if errors.As(err, &of) { // which call failed is nothing to who reads this
			err = of.Err
		}
		return c, fmt.Errorf("%s: %w", name, err)
	}
	return server.ParseConfig(name, text)
}
