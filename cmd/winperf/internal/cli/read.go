package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

// reader is what get and watch have in common: readings of paths go to a sink.
type reader struct {
	app      *app
	standard []string // paths where none are given
	// narrow leaves what a table shows of the standard paths; nil shows all.
	narrow func([]winperf.Column) []winperf.Column
	source sourceFlags
	output outputFlags
	sel    selectFlags
	every  interval
	thins  func() bool // -i was given
	count  count
	how    measureFlags
	log    logFlags
	within rangeFlags
	at     string
	get    bool // one moment: of a record the last one, or that of at

	paths  []winperf.Path
	asked  bool // paths were given
	live   bool // the source is no record
	before int  // cycles before the one that is to be shown
	tally  tally
	view   logs.View

	unlisted  unlisted
	anomalies anomalies
}

func (r *reader) flags(cmd *cobra.Command, intervalHelp string) {
	r.every = interval(schedule.DefaultInterval)
	cmd.Flags().VarP(liveInterval{interval: &r.every}, "interval", "i", intervalHelp)
	r.thins = func() bool { return cmd.Flags().Changed("interval") }
	r.source.add(cmd)
	r.output.add(cmd, sink.Formats())
	r.output.addExact(cmd)
	r.sel.add(cmd, &r.source)
	r.sel.addPDHExact(cmd)
	r.how.add(cmd)
	r.log.add(cmd)
	r.within.add(cmd)
	cmd.ValidArgsFunction = completePath(&r.source)
}

// run watches the paths of the command line, or standard ones, and writes
// every moment.
func (r *reader) run(ctx context.Context, args []string) (err error) {
	if err := r.choose(ctx, args); err != nil {
		return err
	}
	opt, err := r.options()
	if err != nil {
		return err
	}

	src, zone, err := r.log.open(ctx, r.app, r.source.source)
	if err != nil {
		return err
	}
	defer src.Close()

	r.live, r.anomalies.zone = !src.Describe().Recorded, zone
	if src, err = r.thinned(src); err != nil {
		return err
	}
	sel, err := r.selection(ctx, src, zone)
	if err != nil {
		return err
	}
	if !r.get {
		r.unlisted = findUnlisted(ctx, src, &sel, &opt, &r.output)
	}
	out, err := r.app.open(ctx, &r.output, zone, r.count == 1)
	if err != nil {
		return err
	}
	out.out.kept.wait()
	defer func() {
		err = errors.Join(err, out.Close())
		out.reportLate(r.app.stderr)
		if err == nil {
			r.finish(ctx, src)
		}
	}()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	onHangup(r.app.stdout, cancel)
	if out.picture != nil {
		out.picture.start(ctx, cancel, r.awaited())
	}
	if r.get && !r.live {
		return r.getLast(ctx, src, sel, opt, out)
	}
	return r.watch(ctx, src, sel, opt, out)
}

// thinned returns the source with fewer samples if -i was given for a log.
func (r *reader) thinned(src winperf.Source) (winperf.Source, error) {
	switch {
	case r.live || !r.thins():
		return src, nil
	case r.get:
		return src, errors.New("-i: of a log get shows the last sample; winperf watch -i and convert -i thin a log")
	}
	return logs.Thin{Interval: time.Duration(r.every)}.Of(src), nil
}

// selection is what is wanted of a source.
func (r *reader) selection(
	ctx context.Context, src winperf.Source, zone shownZone,
) (sel winperf.Selection, err error) {
	sel.Paths = r.paths
	if r.at == "" {
		return sel, r.within.choose(ctx, &sel, zone, src)
	}
	if r.live {
		return sel, errNoRecord
	}

	m := moments{zone: zone, records: []winperf.Source{src}}
	if sel.End, err = m.parse(ctx, r.at, true); err != nil {
		err = fmt.Errorf("--at: %w", err)
	}
	return sel, err
}

// getLast shows the last moment of a record that is wanted. Which one that is shows at the
// end only: the moments are counted first.
func (r *reader) getLast(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options, out *destination,
) error {
	opt.Count, opt.KeepFirst = 0, true
	count := opt
	count.FramesOnly = true
	n := 0
	for _, err := range measure.Watch(ctx, src, sel, count) {
		if err != nil {
			break // it comes again
		}
		n++
	}
	r.before = n - 1
	return r.watch(ctx, src, sel, opt, out)
}

// awaited says what there is to wait for before the first picture.
func (r *reader) awaited() string {
	if !r.live {
		return "reading the recording …"
	}
	return fmt.Sprintf("waiting %v for the second sample, which rates need …", time.Duration(r.every))
}

// choose finds out which paths are wanted.
func (r *reader) choose(ctx context.Context, args []string) (err error) {
	if r.paths, err = r.app.paths(ctx, args, &r.sel); err != nil {
		return quoteHint(ctx, []string{r.source.source}, args, nil, err)
	}
	if r.asked = len(r.paths) > 0; !r.asked {
		if r.paths, err = parsePaths(r.standard); err != nil {
			return err
		}
	}

	if len(r.paths) == 0 {
		return errors.New(`no path given; for example '\Memory\Available MBytes'` +
			" (winperf list shows what there is)")
	}
	r.tally = newTally(len(r.paths))
	r.tally.continued = continues()
	return nil
}

func (r *reader) options() (measure.Options, error) {
	if _, _, err := r.output.settle(r.source.source); err != nil { // before anything is opened
		return measure.Options{}, err
	}
	opt, err := r.sel.options(r.source.language)
	opt.Interval, opt.Count = time.Duration(r.every), int(r.count)
	opt.CostlyTogether = r.count == 1 // one answer, which has all there is
	r.how.set(&opt)
	return opt, err
}

func (r *reader) watch(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options, out *destination,
) error {
	// How large a sample is shows with the first one. A small one needs no care.
	timeMatters := sync.OnceFunc(spareMemory())
	defer timeMatters()

	for m, err := range logs.Read(ctx, []*logs.Log{{Source: src}}, sel, opt) {
		if err != nil {
			return err
		}
		if len(m.Cycles) == 0 { // behind the last sample of a record
			if r.tally.cycles == 0 {
				return errors.Join(m.Damage...)
			}
			r.app.damaged(m.Damage)
			break
		}

		cycle := m.Cycles[0]
		if r.get && !r.live && r.passes(cycle) {
			continue
		}
		if !isLarge(cycle) {
			timeMatters()
		}
		if err := r.take(cycle, out); err != nil {
			return err
		}

		if r.tally.cycles > 1 || !r.live {
			continue
		}
		if r.tally.hopeless() && !r.asked {
			return nil // the system has nothing of what is shown without paths
		}
		if !out.inPlace && r.asked {
			r.app.explainFirst(ctx, src, &r.tally, r.paths, r.count != 1)
		}
	}

	if r.tally.cycles == 0 && ctx.Err() == nil {
		return r.noSample(ctx, src)
	}
	return nil
}

// noSample is the error where there was nothing to show.
func (r *reader) noSample(ctx context.Context, src winperf.Source) error {
	within := r.within
	if r.at != "" {
		within.end = r.at
	}
	return within.empty(ctx, "the source has no samples", r.anomalies.zone, src)
}

// take shows a cycle, and tells what is wrong with it.
func (r *reader) take(cycle *measure.Cycle, out *destination) error {
	r.tally.count(cycle)
	if !r.tally.nothing() {
		out.out.kept.release()
	}
	if err := r.write(cycle, out); err != nil {
		return err
	}

	if !out.inPlace {
		r.tally.reportDamage(r.app)
	}
	if r.how.anomalies {
		r.anomalies.tell(r.app, r.unlisted.asked(cycle.Anomalies), out.inPlace)
	}
	return nil
}

// passes reports whether a cycle of a record is not the one to be shown. Its damage is told
// all the same.
func (r *reader) passes(cycle *measure.Cycle) bool {
	r.before--
	if r.before == -1 {
		return false
	}
	r.tally.cycles++
	r.tally.countDamage(cycle)
	return true
}

// write writes what is shown of a cycle, if there is anything.
func (r *reader) write(cycle *measure.Cycle, out *destination) (err error) {
	if columns := r.shown(cycle, out); len(columns) > 0 {
		err = out.Write(cycle.Time, columns)
	}
	if err != nil {
		return err
	}
	return out.out.Flush()
}

// shown are the values of a cycle to write. A table leaves out objects and
// counters that are not there, which standard error tells about, as everything
// does where the user did not ask for them; programs get all.
func (r *reader) shown(cycle *measure.Cycle, out *destination) []winperf.Column {
	own := cycle.Columns()[:r.unlisted.own(cycle)]
	more := winperf.ColumnsOf(r.unlisted.readings(cycle))
	if r.asked && (out.inPlace || out.out.format != "table") {
		return append(slices.Clip(own), more...)
	}

	own = r.view.Choose(own, func(c *winperf.Column, n int) bool { return !absent(c.Status[n]) })
	if !r.asked && r.narrow != nil && out.out.format == "table" {
		own = r.narrow(own)
	}
	return append(slices.Clip(own), more...)
}

// finish says at the end what was not as it should be.
func (r *reader) finish(ctx context.Context, src winperf.Source) {
	a, t := r.app, &r.tally
	t.reportDamage(a)
	t.denied.report(a, src)
	r.anomalies.finish(a)
	t.reportCounts(a, "output")
	if r.asked || !t.any() {
		a.explain(ctx, src, t, r.paths, true)
	}
	a.nothing = t.nothing()
}

// tally keeps which paths have had a value.
type tally struct {
	cycles, missed, damaged int

	// Samples are missed while the program is stopped, too. The signal that it goes on may come
	// shortly after the sample that notices them, so they wait for the next one.
	stopped   int         // missed because of that
	undecided int         // missed before the last sample
	resumed   bool        // the last sample was the first one after a stop
	continued func() bool // the program went on after a stop since the last call; nil: it never does

	served       []bool
	last         []counter.Status // of each path's last reading without a value, else OK
	explained    []bool
	explanations int
	damage       []error // of the first damaged sample, until it is reported
	denied       denied
	notices      []error // the first of each kind
}

func newTally(paths int) tally {
	return tally{
		served:    make([]bool, paths),
		last:      make([]counter.Status, paths),
		explained: make([]bool, paths),
	}
}

func (t *tally) count(c *measure.Cycle) {
	t.cycles++
	t.miss(c.Missed)
	t.countDamage(c)
	t.denied.count(c)

	for w := range c.ColumnParts[:min(len(c.ColumnParts), len(t.served))] { // the user did not ask for others
		columns := c.Part(w)
		for i := range columns {
			t.countColumn(w, &columns[i])
		}
		if len(columns) == 0 {
			t.served[w] = true // another path has it
		}
	}
}

// countColumn counts a column of a path.
func (t *tally) countColumn(w int, c *winperf.Column) {
	t.served[w] = t.served[w] || slices.Contains(c.Status, counter.OK)
	if n := c.Len(); n > 0 && !t.served[w] {
		t.last[w] = c.Status[n-1]
	}
}

// miss counts samples that were missed since the sample before, and decides why those before that were.
// The first sample after a stop is late, so that the one behind it may be missed because of that, too.
func (t *tally) miss(n int) {
	switch {
	case t.continued != nil && t.continued():
		t.stopped += t.undecided + n
		t.undecided, t.resumed = 0, true
	case t.resumed:
		t.stopped += n
		t.resumed = false
	default:
		t.missed += t.undecided
		t.undecided = n
	}
}

// countDamage notes what is wrong with a sample.
func (t *tally) countDamage(c *measure.Cycle) {
	t.notices = addNotices(t.notices, c.Damage)
	if damage := costly(c.Damage); len(damage) > 0 {
		if t.damaged++; t.damaged == 1 && t.damage == nil { // else that of a first look
			t.damage = damage
		}
	}
}

// reportDamage reports the damage of the first damaged sample, once, and notices that
// were not told yet.
func (t *tally) reportDamage(a *app) {
	a.notice(t.notices)
	a.damaged(t.damage)
	t.damage = nil
}

// reportCounts says how many samples were missed or damaged; slow is what may have been too slow
// for them, besides the machine.
func (t *tally) reportCounts(a *app, slow string) {
	t.miss(0)
	missed := func(n int, why string) {
		what := "1 sample was"
		if n > 1 {
			what = fmt.Sprintf("%d samples were", n)
		}
		if n > 0 {
			a.complain(fmt.Errorf("%s missed %s", what, why))
		}
	}
	missed(t.stopped, "while the program was stopped")
	missed(t.missed, fmt.Sprintf("because the machine or the %s was too slow", slow))
	if t.damaged > 1 {
		a.complain(fmt.Errorf("%d of %d samples were damaged", t.damaged, t.cycles))
	}
}

// unmatched reports whether a path has had no value and matches nothing.
func (t *tally) unmatched() bool {
	for w, served := range t.served {
		if !served && logs.NamesNothing(t.last[w]) {
			return true
		}
	}
	return false
}

// any reports whether any path has had a value.
func (t *tally) any() bool { return slices.Contains(t.served, true) }

// nothing reports whether every path named nothing.
func (t *tally) nothing() bool { return t.none(logs.NamesNothing) }

// hopeless reports whether no path names a counter that is there.
func (t *tally) hopeless() bool { return t.none(absent) }

// none reports whether no path has had a value and the last statuses of all are such.
func (t *tally) none(such func(counter.Status) bool) bool {
	return !t.any() && !slices.ContainsFunc(t.last, func(s counter.Status) bool { return !such(s) })
}
