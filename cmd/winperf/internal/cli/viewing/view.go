package viewing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/server"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web"
)

type viewer struct {
	app       *console.App
	sources   []string
	language  input.Language
	log       input.LogFlags
	within    input.RangeFlags
	every     input.Interval
	show      input.ViewFlags
	listen    string
	webConfig string
	noBrowser bool
	output    string
	overwrite bool
	damage    console.DamageCount // of the saved logs

	onePage func() ([]byte, error) // web.OnePage, except in tests
	local   string                 // the URL of the source without arguments
}

// moreMemory returns the memory of the histories beyond one of the default size.
func moreMemory(sources []view.Source, memory int64) int64 {
	histories := int64(0)
	for _, s := range sources {
		if !s.Describe().Recorded {
			histories += cmp.Or(memory, view.DefaultMemory)
		}
	}
	return max(histories-view.DefaultMemory, 0)
}

// Command returns the command view.
func Command(a *console.App) *cobra.Command {
	v := &viewer{app: a, onePage: web.OnePage, local: "local:"}
	return v.command()
}

func (v *viewer) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "view [LOG...]",
		Short: "Show counters in the browser, live or from logs",
		Long: `View serves a page that shows counters, and opens it in the browser. Without a log it shows
this machine live; with logs it shows their whole time. A directory is the log of a recording
that continues in new files (winperf record --at-limit new or circular): the files of each
machine are one log, new samples appear, and a file that is removed is a gap.

It listens on a free port of this machine only, and prints the address. The address contains
a token that is valid once: the browser exchanges it for a cookie. Over SSH, or without a
display, view opens no browser and prints the command that forwards the port.

--listen ADDRESS listens elsewhere. Other machines need TLS and a password, in the file of
--web.config.file, which has the format of Prometheus exporters; --unprotected accepts the
risk instead.

The samples of a live source are kept in memory, for 15 minutes or --keep, in at most
--memory; the page says since when it has samples if older ones were dropped. View measures
while a page is open; with --keep always. For a longer history record to a directory, and
view it.

-o FILE.html writes a page with the samples of the logs inside, between --begin and --end, in
place of serving them. It opens by double-click, on machines without winperf too. It holds
all counters and instances, with their names, at most 64 MB of samples. Save page in the
page does the same with the visible range.

On systems without a source of this machine, view without a log serves a page that opens
logs: choose a file there, or drop it on the page. The file stays in the browser.

Exit status: 0 done, 1 the page could not be shown or written, 3 some data of a log was
damaged and is missing in the written page.`,
		Example: `  winperf view
  winperf view load.blg
  winperf view before.blg after.blg --begin 15:40 --end 16:10
  winperf view /var/lib/winperf
  winperf view --keep 2h -i 5
  winperf view load.blg --begin 15:40 --end 16:10 -o stall.html
  winperf view --listen :8080 --web.config.file web.yml`,
		RunE: v.run,
	}

	f := cmd.Flags()
	const source = "another source to show, repeat it; the `URL` is " + input.SourceHelp
	f.StringArrayVar(&v.sources, "source", nil, source)
	f.Var(&v.language, "language", input.LanguageHelp)
	const every = "time between samples of live sources: 2, 0.5 (default 1)"
	f.VarP(input.LiveInterval{Interval: &v.every}, "interval", "i", every)
	v.show.Add(cmd)
	f.StringVar(&v.listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 is any free port")
	f.StringVar(&v.webConfig, "web.config.file", "", "`FILE` with certificates and passwords")
	f.BoolVar(&v.noBrowser, "no-browser", false, "do not open the browser")
	const file = "write a page with the samples inside to this `FILE`; - is standard output"
	f.StringVarP(&v.output, "output", "o", "", file)
	f.BoolVar(&v.overwrite, "overwrite", false, "replace an existing file")
	v.log.Add(cmd)
	v.within.Add(cmd)
	console.Complete(cmd, "source", input.CompleteSource)
	console.Complete(cmd, "language", input.CompleteLanguage)
	return cmd
}

func (v *viewer) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if err := v.check(args); err != nil {
		return err
	}
	if v.output != "" {
		return v.save(ctx, cmd.Flags(), append(args, v.sources...))
	}
	if v.overwrite {
		return errors.New("--overwrite replaces the file of -o")
	}
	opt := v.show.Options(cmd.Flags())
	opt.Language = string(v.language)
	sources, err := v.open(ctx, append(args, v.sources...), &opt)
	if errors.Is(err, errNoMachine) && !v.within.IsSet() {
		if page, missing := v.onePage(); missing == nil {
			return v.serveOnePage(ctx, page)
		}
	}
	if err != nil {
		return err
	}
	console.LimitMemory(moreMemory(sources, opt.Memory))
	shown, err := view.New(ctx, sources, opt)
	if err != nil {
		return err
	}

	token := web.NewToken()
	protected := server.CheckProtected(v.listen, v.webConfig) == nil
	how := web.Options{Token: token}
	if server.HasTLS(v.webConfig) || !protected {
		// The browser checks the name, or the user accepted the risk.
		how.AllowHost = func(string) bool { return true }
	}
	return errors.Join(v.serve(ctx, web.New(shown, how), "#token="+token), shown.Close())
}

// serveOnePage serves the page that opens logs in the browser. It holds no data.
func (v *viewer) serveOnePage(ctx context.Context, page []byte) error {
	return v.serve(ctx, web.StaticPage(page), "")
}

// errNoMachine means that this system has no source of the machine.
var errNoMachine = errors.New("name a log: winperf view load.blg")

// check returns an error for arguments that are counters, and for an address that lacks protection.
func (v *viewer) check(args []string) error {
	for _, arg := range args {
		if strings.HasPrefix(arg, `\`) {
			if _, err := os.Stat(arg); err != nil {
				return fmt.Errorf("%s is not a log: choose counters in the page (winperf watch %[1]q shows it here)", arg)
			}
		}
	}
	if err := server.CheckFile(v.webConfig); err != nil || v.show.Unprotected {
		return err
	}
	return server.CheckProtected(v.listen, v.webConfig)
}

// open opens the sources, this machine if there are none.
func (v *viewer) open(
	ctx context.Context, names []string, opt *view.Options,
) (sources []view.Source, err error) {
	defer func() {
		if err != nil {
			for _, s := range sources {
				err = errors.Join(err, s.Close())
			}
		}
	}()
	if len(names) == 0 {
		names = []string{v.local}
	}
	how, err := v.log.Options()
	if err != nil {
		return nil, err
	}

	var logs []winperf.Source
	for _, name := range names {
		shown := name
		if name == "-" {
			shown = input.StandardInput
		}
		found, grows, err := v.openAll(ctx, name, how)
		if len(names) == 1 && name == v.local && errors.Is(err, winperf.ErrNotSupported) {
			err = fmt.Errorf("%w; %w", err, errNoMachine)
		}
		if err != nil {
			return sources, err
		}

		for _, src := range found {
			s := view.Source{Name: shown, Source: src, Grows: grows, Interval: time.Duration(v.every)}
			if len(found) > 1 {
				s.Name += " (" + src.Describe().Machine + ")"
			}
			sources = append(sources, s)
		}
		logs = append(logs, found...)
	}

	if v.within.IsSet() {
		var sel winperf.Selection
		zone := v.log.ShownZone(logs[0].Describe(), how)
		if err := v.within.Choose(ctx, &sel, zone, logs...); err != nil {
			return sources, err
		}
		opt.Begin, opt.End = sel.Begin, sel.End

		if !slices.ContainsFunc(sources, func(s view.Source) bool { return mayHave(s, &sel) }) {
			return sources, v.within.Empty(ctx, "there are no samples to show", zone, logs...)
		}
	}
	return sources, nil
}

// mayHave reports whether a log may have samples in the range of a selection, now or later. The times of text
// logs are unknown until they are read.
func mayHave(s view.Source, sel *winperf.Selection) bool {
	log := s.Describe().Log
	return s.Grows || log.Begin.IsZero() || log.End.IsZero() ||
		!log.End.Before(sel.Begin) && (sel.End.IsZero() || !log.Begin.After(sel.End))
}

// openAll opens a source, or the logs of a directory, which grow.
func (v *viewer) openAll(
	ctx context.Context, name string, how source.Options,
) (found []winperf.Source, grows bool, err error) {
	if info, stat := os.Stat(name); stat == nil && info.IsDir() {
		found, err = joinDirectory(ctx, name, how)
		return found, true, err
	}
	src, err := input.OpenSource(ctx, v.app, name, how)
	if err != nil {
		return nil, false, err
	}
	return []winperf.Source{src}, false, nil
}

// serve serves a page until ctx ends, and opens it at a fragment.
func (v *viewer) serve(ctx context.Context, page http.Handler, fragment string) error {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", v.listen)
	if err != nil {
		return err
	}

	address := v.address(l) + fragment
	v.announce(address, l)
	ended := make(chan error, 1)
	go func() {
		ended <- server.ServeHandler(ctx, l, page, v.webConfig, v.app.Logger(slog.LevelWarn))
	}()
	if !v.noBrowser && hasDisplay() {
		if err := openBrowser(ctx, address); err != nil {
			v.app.Complain(fmt.Errorf("the browser could not be opened: %w; open the address yourself", err))
		}
	}
	return <-ended
}

// address returns the URL of the page.
func (v *viewer) address(l net.Listener) string {
	scheme := "http"
	if server.HasTLS(v.webConfig) {
		scheme = "https"
	}
	host := l.Addr().String()
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		name, err := os.Hostname()
		if err != nil {
			name = "localhost"
		}
		host = net.JoinHostPort(name, fmt.Sprint(tcp.Port))
	}
	return scheme + "://" + host + "/"
}

// announce prints the address and, if this machine has no display, how to reach it from another one.
func (v *viewer) announce(address string, l net.Listener) {
	fmt.Fprintln(v.app.Stdout, address)
	tcp, ok := l.Addr().(*net.TCPAddr)
	if hasDisplay() || !ok || !tcp.IP.IsLoopback() {
		return
	}
	name, err := os.Hostname()
	if err != nil {
		name = "HOST"
	}
	const form = "To open it on another machine, forward the port there, and open the address:\n" +
		"  ssh -L %d:%v %s\n"
	fmt.Fprintf(v.app.Stderr, form, tcp.Port, tcp, name)
}
