package viewing

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web"
)

// servingFlags are the flags without effect on a written page.
var servingFlags = []string{
	"language", "interval", "keep", "memory", "unprotected", "listen", "web.config.file", "no-browser",
}

// save writes a page with the samples of logs.
func (v *viewer) save(ctx context.Context, flags *pflag.FlagSet, names []string) error {
	for _, name := range servingFlags {
		if flags.Changed(name) {
			return fmt.Errorf("--%s is for a page that is served, not for -o", name)
		}
	}
	if len(names) == 0 {
		return notLog("this machine")
	}
	target, err := v.target(names)
	if err != nil {
		return err
	}
	page, err := v.onePage()
	if err != nil {
		return err
	}

	var opt view.Options
	sources, err := v.open(ctx, names, &opt)
	if err != nil {
		return err
	}
	shown, err := view.New(ctx, sources, view.Options{}) // not opt: the sample before the range is read, too
	if err != nil {
		return err
	}
	within := view.Request{Begin: opt.Begin, End: opt.End}
	err = v.write(ctx, target, page, shown, sources, within)
	v.damage.Report(v.app)
	if errors.Is(err, web.ErrEmpty) {
		err = v.empty(ctx, err, sources)
	}
	if console.IsInterrupt(ctx, err) {
		err = errors.New("interrupted; nothing was written")
	}
	return errors.Join(err, shown.Close())
}

func notLog(name string) error {
	const form = "-o writes samples of logs: record %s first (winperf record -o load.capture), then name the log"
	return fmt.Errorf(form, name)
}

// target returns the file to write; its name is "" for standard output.
func (v *viewer) target(reads []string) (target output.Target, err error) {
	if v.output == "-" {
		if _, terminal := console.IsTerminal(v.app.Stdout); terminal {
			return target, errors.New("a page is not written to a terminal: name a file, -o load.html")
		}
		return target, nil
	}
	if extension := strings.ToLower(filepath.Ext(v.output)); extension != ".html" && extension != ".htm" {
		const form = "-o %s: expected a name that ends in .html, or - for standard output" +
			" (winperf convert writes other formats)"
		return target, fmt.Errorf(form, v.output)
	}

	target = output.Target{Name: v.output, Whole: true, Reads: reads}
	if v.overwrite {
		target.Mode = output.Overwrite
	}
	_, err = target.Look()
	return target, err
}

// write writes the page to a file, which appears when it is complete.
func (v *viewer) write(
	ctx context.Context, target output.Target, page []byte, shown *view.View, sources []view.Source,
	within view.Request,
) error {
	var requests []view.Request
	for i, named := range shown.Names() {
		if !sources[i].Describe().Recorded {
			return notLog(sources[i].Name)
		}
		r := within
		r.Source = named.ID
		requests = append(requests, r)
	}
	if target.Name == "" {
		return web.WritePage(ctx, v.app.Stdout, page, shown, requests, stateOf(within), v.damage.Add)
	}

	file, err := target.Open(ctx)
	if err != nil {
		return err
	}
	to := bufio.NewWriterSize(file, 1<<16)
	err = web.WritePage(ctx, to, page, shown, requests, stateOf(within), v.damage.Add)
	if err == nil {
		err = to.Flush()
	}
	if err != nil {
		return errors.Join(err, file.Abandon())
	}
	return file.Close()
}

// stateOf returns the fragment of the address that shows a range.
func stateOf(within view.Request) string {
	state := url.Values{}
	for name, at := range map[string]time.Time{"begin": within.Begin, "end": within.End} {
		if !at.IsZero() {
			state.Set(name, at.UTC().Format("2006-01-02T15:04:05.999Z07:00"))
		}
	}
	return state.Encode()
}

// empty returns the error for logs without samples in the range, with their times.
func (v *viewer) empty(ctx context.Context, otherwise error, shown []view.Source) error {
	how, err := v.log.Options()
	if err != nil {
		return err
	}
	var logs []winperf.Source
	for _, s := range shown {
		logs = append(logs, s.Source)
	}
	return v.within.Empty(ctx, otherwise.Error(), v.log.ShownZone(logs[0].Describe(), how), logs...)
}
