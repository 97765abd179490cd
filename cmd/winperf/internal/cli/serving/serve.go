package serving

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	neturl "net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/settings"
	"github.com/winperf/winperf/cmd/winperf/internal/server"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

type serveFlags struct {
	app        *console.App
	host       *Hosted // the service manager, or nil
	sections   settings.Commands
	source     input.SourceFlags
	files      winperf.HostFiles
	end        func() // waits until systemd is notified of the end
	sel        input.SelectFlags
	flags      server.Config // values of the flags
	names      []string
	groups     string
	collectors string
	options    map[string]*string // of windows_exporter's collectors
	legacy     bool
	costly     input.Interval
	limit      input.Interval
	offset     input.Interval
	file       string
	check      bool
	attach     bool
	view       bool
	show       input.ViewFlags

	push      []string // URLs
	pushNames []string
	interval  input.Interval
	queue     server.Queue
	age       input.Interval // of the queue
	target    input.PushFlags
}

const serveHelp = `Serve answers Prometheus' scrapes of /metrics. Each scrape takes a sample; concurrent
scrapes share one. Metrics are raw values in base units; their rate() is the value that
other commands show. Without a path it serves all objects that are not costly, except
Thread, Process and Control Group, and groups of processes instead (--process-groups).
--object Process serves each process. Costly objects are served if named or with --costly,
and are sampled independently on their own schedule.

A scrape can select metrics: curl 'http://localhost:9182/metrics?object=Memory', or
?path=\Process(*)\ID%20Process. It is answered within Prometheus' timeout. Objects that are
not ready by then are omitted, and winperf_object_up reports this.

With --push, or push: in the configuration, samples are also taken at an interval and sent.
Samples that a receiver does not accept wait in a queue on disk, also across restarts of
the program.

With a log as source, all its objects are served if no path is given. The first scrape
gets the sample before the last one, later scrapes get the last one, so that rates can be
computed.

By default it listens on this machine only. --web.config.file names the file with
certificates and passwords, in the format of Prometheus exporters.

The --config file (YAML) can contain every setting except --experiments and the flags of
--view; flags override it. SIGHUP, or with --web.enable-lifecycle a POST to /-/reload, reloads it; if it has
errors, the old configuration stays in use. --check does not serve: it ends with status 0,
or with status 1 and all errors of the file by line and column. If a flag or path of the
command line is wrong, it reports only this. A path without a match is only a warning,
because its object may appear later. The sections record: and publish: of the file are for
these commands; serve only checks them.

With --view it also serves the page of winperf view at /, for the source at the start, under
the same certificates and passwords. It costs nothing while no page is open, unless --keep
is given.

With --experiments programs can attach experiments to the server (winperf experiment
attach serve), which measure this machine, whatever the server's source is.

Exit status: 0 done, 1 the server could not start or had to end.`

// Hosted connects a long-running command to a service manager.
type Hosted struct {
	Ready  func()          // called when the server is reachable
	Reload <-chan struct{} // received from to reload the configuration
}

// ServeCommand returns the command serve.
func ServeCommand(a *console.App, host *Hosted, sections settings.Commands) *cobra.Command {
	s := &serveFlags{app: a, host: host, sections: sections}
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
	const object = "`NAME` of an object to serve completely; may be repeated"
	f.StringArrayVar(&s.flags.Objects, "object", nil, object)
	f.BoolVar(&s.flags.Costly, "costly", false, "serve costly objects, too")
	f.Var(&s.costly, "costly-interval", "shortest time between samples of costly objects (default 1m)")

	const names = "metric `NAMES` (default own): own, windows_exporter or own,windows_exporter"
	f.StringSliceVar(&s.names, "names", nil, names)
	const collectors = "`COLLECTORS` of windows_exporter, such as cpu,memory; [defaults] are its defaults;" +
		" implies --names windows_exporter"
	f.StringVar(&s.collectors, "collectors.enabled", "", collectors)
	f.BoolVar(&s.flags.Totals, "totals", false, "serve instances that are sums of others, such as _Total")
	const created = "add start times of counters (…_created) to scrapes in OpenMetrics"
	f.BoolVar(&s.flags.Created, "created", false, created)
	const groups = "serve `GROUPS` of processes: name, user, control_group or none (default name, and none if" +
		" a path or object is given)"
	f.StringVar(&s.groups, "process-groups", "", groups)
	const legacy = "with windows_exporter's names, include names that newer versions dropped;" +
		" --legacy=false omits them"
	f.BoolVar(&s.legacy, "legacy", true, legacy)
	const series = "largest number `N` of series in a scrape; 0 is unlimited (default 0)"
	f.IntVar(&s.flags.MaxSeries, "max-series", 0, series)
	f.Var(&s.limit, "timeout", "timeout of a scrape without its own timeout (default 10s)")
	const offset = "time subtracted from a scrape's timeout for sending the answer (default 500ms)"
	f.Var(&s.offset, "timeout-offset", offset)
	s.addPush(cmd)

	f.StringVar(&s.file, "config", "", "`FILE` with the configuration, in YAML")
	const check = "check the configuration, the files it names and the source, report errors, and end"
	f.BoolVar(&s.check, "check", false, check)
	f.BoolVar(&s.attach, "experiments", false, input.ExperimentsUsage)
	f.BoolVar(&s.view, "view", false, "also serve a page that shows the counters in a browser, at /")
	s.show.Add(cmd)
	s.addWeb(cmd)
	s.addExporter(cmd)

	console.Complete(cmd, "names", cobra.FixedCompletions([]cobra.Completion{"own", "windows_exporter"},
		cobra.ShellCompDirectiveNoFileComp))
	console.Complete(cmd, "process-groups", cobra.FixedCompletions([]cobra.Completion{"name", "user",
		"control_group", "none"}, cobra.ShellCompDirectiveNoFileComp))
	pushed := []cobra.Completion{"own", "windows_exporter", "otel"}
	console.Complete(cmd, "push-names", cobra.FixedCompletions(pushed, cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = input.CompletePath(&s.source)
}

func (s *serveFlags) addPush(cmd *cobra.Command) {
	f := cmd.Flags()
	const push = "also send samples to this `URL`: remote-write+http://HOST or otlp+http://HOST (or https);" +
		" may be repeated"
	f.StringArrayVar(&s.push, "push", nil, push)
	f.Var(&s.interval, "push-interval", "time between samples sent (default 15s)")
	const names = "metric `NAMES` sent: own, windows_exporter, otel (OTLP only)" +
		" (default: as --names)"
	f.StringSliceVar(&s.pushNames, "push-names", nil, names)
	const queue = "keep the queue of samples to send in this `DIRECTORY` (default: named after the URL)"
	f.StringVar(&s.queue.Dir, "push-queue", "", queue)
	const size = "largest size of the queue: 500M, 1G (default 256M)"
	f.Var((*output.ByteSize)(&s.queue.MaxBytes), "push-queue-size", size)
	f.Var(&s.age, "push-queue-age", "largest age of samples in the queue (default 48h)")
	s.target.Add(cmd)
}

func (s *serveFlags) addWeb(cmd *cobra.Command) {
	f := cmd.Flags()
	const listen = "`ADDRESS` to listen on; may be repeated (default " + server.DefaultAddress + ")"
	f.StringArrayVar(&s.flags.Web.Listen, "web.listen-address", nil, listen)
	f.StringVar(&s.flags.Web.ConfigFile, "web.config.file", "", "`FILE` with certificates and passwords")
	f.BoolVar(&s.flags.Web.SystemdSocket, "web.systemd-socket", false, "listen on sockets from systemd")
	f.BoolVar(&s.flags.Web.Lifecycle, "web.enable-lifecycle", false, "reload on POST or PUT of /-/reload")
	const path = "`PATH` of the metrics (default /metrics)"
	f.StringVar(&s.flags.Web.TelemetryPath, "web.telemetry-path", "", path)
	const pprof = "serve profiles of the server below /debug/pprof/"
	f.BoolVar(&s.flags.Web.Pprof, "web.enable-pprof", false, pprof)

	const root = "`DIRECTORY` in which / of the machine to read is mounted, in a container on Linux"
	f.StringVar(&s.files.Root, "path.rootfs", "", root)
	f.StringVar(&s.files.Proc, "path.procfs", "", "`DIRECTORY` of its /proc (default: below --path.rootfs)")
	f.StringVar(&s.files.Sys, "path.sysfs", "", "`DIRECTORY` of its /sys (default: below --path.rootfs)")

	const level = "lowest `LEVEL` of messages: debug, info, warn or error (default info)"
	f.StringVar(&s.flags.Log.Level, "log.level", "", level)
	const format = "`FORMAT` of messages: logfmt or json (default logfmt)"
	f.StringVar(&s.flags.Log.Format, "log.format", "", format)
	const connections = "largest number `N` of connections for each address (default 512)"
	f.IntVar(&s.flags.Web.MaxConnections, "web.max-connections", 0, connections)
}

func (s *serveFlags) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	paths, err := input.Paths(ctx, s.app, args, &s.sel)
	if err != nil {
		for _, arg := range args {
			if ext := filepath.Ext(arg); ext == ".yml" || ext == ".yaml" {
				return fmt.Errorf("%q is not a counter path (did you mean --config %s?)", arg, arg)
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
		Log: s.app.Logger(slog.LevelInfo), Listening: s.ready,
	}
	if s.check {
		warnings, err := server.Check(ctx, opt)
		for _, w := range warnings {
			s.app.Complain(fmt.Errorf("warning: %w", w))
		}
		return err
	}

	if opt.View, err = s.viewOptions(cmd.Flags()); err != nil {
		return err
	}
	opt.NewLog = s.newLog
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
	history := int64(0)
	if opt.View != nil {
		history = cmp.Or(opt.View.Memory, view.DefaultMemory)
	}
	console.LimitMemory(history)

	s.end = func() {}
	defer func() { s.end() }()
	return server.Run(ctx, opt)
}

// viewOptions returns the options of --view, nil without it.
func (s *serveFlags) viewOptions(flags *pflag.FlagSet) (*server.View, error) {
	if !s.view {
		for _, name := range []string{"keep", "memory", "unprotected"} {
			if flags.Changed(name) {
				return nil, fmt.Errorf("--%s needs --view", name)
			}
		}
		return nil, nil
	}
	return &server.View{Options: s.show.Options(flags), Unprotected: s.show.Unprotected}, nil
}

func (s *serveFlags) open(ctx context.Context, url string) (winperf.Source, error) {
	return input.OpenSource(ctx, s.app, url, source.Options{})
}

// newLog returns the log of the server: lines with time and level, or plain messages for the event log of
// Windows, whose entries have a time.
func (s *serveFlags) newLog(how server.Log) *slog.Logger {
	opt := slog.HandlerOptions{Level: how.Lowest()}
	switch {
	case s.host != nil:
		return s.app.Logger(how.Lowest())
	case how.Format == "json":
		return slog.New(slog.NewJSONHandler(s.app.Stderr, &opt))
	}
	return slog.New(slog.NewTextHandler(s.app.Stderr, &opt))
}

func (s *serveFlags) ready(ctx context.Context, _ []string, responds func(context.Context) error) {
	if s.host != nil {
		s.host.Ready()
	}
	s.end = s.app.Supervised(ctx, responds)
}

// inDirectories returns the URL of a source that reads the files of a machine in directories.
func inDirectories(url string, at winperf.HostFiles) (string, error) {
	if at == (winperf.HostFiles{}) {
		return url, nil
	}
	rest, ok := strings.CutPrefix(cmp.Or(url, "local:"), "local:")
	if !ok {
		return "", fmt.Errorf("--path.rootfs, --path.procfs and --path.sysfs are for local:, not for %s", url)
	}

	values, err := neturl.ParseQuery(strings.TrimPrefix(rest, "?"))
	if err != nil {
		return "", err
	}
	for key, path := range map[string]string{"root": at.Root, "procfs": at.Proc, "sysfs": at.Sys} {
		if path != "" {
			values.Set(key, path)
		}
	}
	return "local:?" + values.Encode(), nil
}

func (s *serveFlags) load(given func(flag string) bool) (c server.Config, err error) {
	if s.file != "" {
		if c, err = s.sections.Read(s.file); err != nil {
			return c, err
		}
	}
	if c.Source == "" || given("source") {
		c.Source = s.source.Source
	}
	if c.Source, err = inDirectories(c.Source, s.files); err != nil {
		return c, err
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
	if given("process-groups") {
		if c.Groups, err = server.ParseGroups(s.groups); err != nil {
			return c, fmt.Errorf("--process-groups: %w", err)
		}
	}
	if err := s.loadCollectors(given, &c); err != nil {
		return c, err
	}
	overrule(given, "costly", &c.Costly, s.flags.Costly)
	overrule(given, "totals", &c.Totals, s.flags.Totals)
	overrule(given, "created", &c.Created, s.flags.Created)
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
	overrule(given, "web.telemetry-path", &c.Web.TelemetryPath, s.flags.Web.TelemetryPath)
	overrule(given, "web.enable-pprof", &c.Web.Pprof, s.flags.Web.Pprof)
	overrule(given, "log.level", &c.Log.Level, s.flags.Log.Level)
	overrule(given, "log.format", &c.Log.Format, s.flags.Log.Format)
	return c, nil
}

// needPush rejects flags about targets without --push; targets of the file have their own settings.
func needPush(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		if strings.HasPrefix(flag.Name, "push-") && !f.Changed("push") {
			const form = "--%s needs --push; " +
				"receivers in the configuration file have their own settings"
			err = fmt.Errorf(form, flag.Name)
		}
	})
	return err
}

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

func overrule[T any](given func(string) bool, flag string, to *T, v T) {
	if given(flag) {
		*to = v
	}
}
