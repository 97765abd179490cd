package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/serve/internal/hostfacts"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// Options configure an Exporter.
type Options struct {
	Config
	// Version of the program, for winperf_build_info.
	Version string
	// Log receives errors and warnings; nil discards them.
	Log *slog.Logger
	// Last is the exporter that the new one replaces. The new one continues its metrics about the
	// exporter; with nil they start at 0.
	Last *Exporter
	// More returns additional metrics about the program. They are served with the exporter's own, and
	// their names are not used for counters. nil adds none.
	More func(now time.Time) []metrics.Family
}

// Exporter is the http.Handler of /metrics for one configuration and one source. It may be used
// from several goroutines.
type Exporter struct {
	opt     Options
	src     winperf.Source
	sel     winperf.Selection // of the main sampler
	mapping metrics.Options
	main    feed
	costly  *sampler // nil: no costly objects, or they are sampled with the others
	objects *objects
	self    *self

	// The objects that may be in the samplers' samples; each belongs to one sampler.
	mainObjects, costlyObjects map[string]bool
	mainPaths, costlyPaths     *unmatched
	pushedObjects              map[string]bool
	failing                    [2]atomic.Bool // the latest samples of both failed

	scrapes chan struct{} // one element for each scrape, until its answer is read
	answers answers

	// turn has one element while a scrape maps a sample and writes its text to memory, or a sampler
	// decodes a sample. It protects the frames and:
	turn chan struct{}
	all  *view // of everything served
	zip  *gzip.Writer
}

// maxScrapes is the largest number of concurrent scrapes. More are refused.
const maxScrapes = 40

// writeTime is the time for reading an answer if the http.Server has no WriteTimeout.
const writeTime = 30 * time.Second

// New returns an exporter for a source, which it does not close. It takes no sample of a live
// source, and reads a log to its end. The error is from the source or from Config.Check.
func New(ctx context.Context, src winperf.Source, opt Options) (*Exporter, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	opt.Config = opt.WithDefaults()
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))

	e := &Exporter{
		opt: opt, src: src, self: newSelf(opt.Version),
		scrapes: make(chan struct{}, maxScrapes), turn: make(chan struct{}, 1),
		zip:         gzip.NewWriter(io.Discard),
		mainObjects: map[string]bool{}, costlyObjects: map[string]bool{},
		pushedObjects: map[string]bool{},
		mapping: metrics.Options{
			Names: opt.Names, Totals: opt.Totals, LoneTotals: src.Describe().Recorded, Exclude: opt.Exclude,
			Generic: opt.Counters, NoLegacy: opt.NoLegacy, NoKeep: true,
			Collectors: opt.Collectors, Filters: opt.Filters,
		},
	}
	if opt.Last != nil {
		e.self = opt.Last.self
		e.opt.Last = nil
	}

	if err := e.open(ctx); err != nil {
		return nil, err
	}
	e.all = e.newView(&request{})
	return e, nil
}

// Mapping returns the options that map samples to metrics, for a program that also pushes them. Their
// field Select selects everything that the exporter serves.
func (e *Exporter) Mapping() metrics.Options {
	opt := e.mapping
	opt.Select, opt.NoKeep = e.sel, false
	return opt
}

// Selection returns the selection that the exporter needs from a live source: everything that it serves, and
// the processes of the groups.
func (e *Exporter) Selection() winperf.Selection { return e.opt.withGroups(e.sel) }

// Objects returns the sorted names of the objects that were in samples or that paths name.
func (e *Exporter) Objects() (names []string) {
	for _, o := range e.objects.list(time.Now(), nil, nil) {
		names = append(names, o.Name)
	}
	return names
}

func (e *Exporter) open(ctx context.Context) error {
	sel := e.opt.served()
	e.objects = newObjects()
	expected := e.opt.expectation()
	e.mainPaths, e.costlyPaths = newUnmatched(expected(sel.Paths)), newUnmatched(nil)
	e.mapping.Reserved = e.self.reserved(e)
	how := measure.Options{Language: e.opt.Language, FramesOnly: true}

	is := e.src.Describe()
	e.mapping.Facts, e.mapping.HostValues = hostfacts.For(is), hostfacts.ValuesFor(is)
	e.mapping.UserName, e.mapping.ControlGroup = hostfacts.UsersFor(is), hostfacts.ControlGroupsFor(is)
	e.mapping.Owner = hostfacts.OwnersFor(is)
	if e.opt.CommandLines {
		e.mapping.CommandLine = hostfacts.CommandLinesFor(is)
	}
	if err := e.addGroups(ctx); err != nil {
		return err
	}
	if is.Recorded {
		if len(sel.Paths) == 0 {
			sel.Costly = true // a log contains only requested objects
		}
		e.sel = sel
		e.objects.expect(expected(sel.Paths), e.mainObjects)
		var err error
		e.main, err = readRecorded(ctx, e.src, sel, how, e.sampledMain, e.damaged)
		return err
	}

	var err error
	if sel.Unneeded, err = e.omit(ctx); err != nil {
		return err
	}
	rest, costly, err := e.split(ctx, sel)
	if err != nil {
		return err
	}
	e.sel = sel
	mainPaths, costlyPaths := expected(rest.Paths), expected(costly.Paths)
	e.objects.expect(mainPaths, e.mainObjects)
	e.objects.expect(costlyPaths, e.costlyObjects)
	e.mainPaths, e.costlyPaths = newUnmatched(mainPaths), newUnmatched(costlyPaths)
	e.main = newSampler(
		func() *measure.Measurement { return measure.New(e.src, e.opt.withGroups(rest), how) }, e.sampledMain,
		func() frame.Frame { return e.mapped(true) }, e.turn,
	)
	if !selection.IsEmpty(costly) {
		renew := func() *measure.Measurement { return measure.New(e.src, costly, how) }
		e.costly = newSampler(renew, e.sampledCostly, func() frame.Frame { return e.mapped(false) }, e.turn)
	}
	return nil
}

// omit omits the objects of a live source that the configuration does not name, and returns their identities.
func (e *Exporter) omit(ctx context.Context) (unneeded []winperf.ObjectID, err error) {
	e.objects.without = e.opt.omitted()
	for _, name := range e.objects.without {
		e.mapping.Exclude = append(slices.Clip(e.mapping.Exclude), wholeObject(name))
	}
	schema, err := winperf.CostlySchema(ctx, e.src)
	if err != nil || schema == nil {
		return nil, err
	}

	names, _ := nametable.FromSchema(schema)
	for _, name := range e.objects.without {
		for _, title := range names.In(nametable.English).Lookup(name) {
			unneeded = append(unneeded, winperf.ObjectID{Index: title})
		}
	}
	return unneeded, nil
}

// mapped returns the frame with which a sampler's next frame will be compared. The caller has the
// turn.
func (e *Exporter) mapped(main bool) frame.Frame {
	switch {
	case e.all == nil:
		return frame.Frame{}
	case main:
		return e.all.main.frame
	}
	return e.all.costly.frame
}

// split separates costly objects of a live source, which are sampled independently, so that they
// delay no scrape.
func (e *Exporter) split(
	ctx context.Context, sel winperf.Selection,
) (rest, costly winperf.Selection, err error) {
	schema, err := winperf.CostlySchema(ctx, e.src)
	if err != nil || schema == nil || len(schema.Costly) == 0 {
		return sel, costly, err
	}

	names, _ := nametable.FromSchema(schema)
	rest, costly, _ = selection.Split(sel, names, schema.Costly)
	if selection.IsEmpty(rest) { // only costly objects delay nothing
		return sel, winperf.Selection{}, nil
	}
	return rest, costly, nil
}

func (e *Exporter) sampledMain(c *measure.Cycle, err error) {
	e.objects.update(c, e.mainObjects)
	e.mainPaths.update(c)
	e.sampled(c, err, true)
}

func (e *Exporter) sampledCostly(c *measure.Cycle, err error) {
	e.objects.update(c, e.costlyObjects)
	e.costlyPaths.update(c)
	e.sampled(c, err, false)
}

// damaged records that a log could not be read to its end.
func (e *Exporter) damaged(err error) {
	e.self.damaged()
	e.opt.Log.Warn("the log is damaged; it is served up to the damage", "err", err)
}

// sampled records the result of a sample; main is false for costly objects. It logs the first of
// successive failures, and the recovery.
func (e *Exporter) sampled(c *measure.Cycle, err error, main bool) {
	e.self.sampled(c, err, main)
	if errors.Is(err, context.Canceled) {
		return
	}
	failing, among := &e.failing[0], e.mainObjects
	if !main {
		failing, among = &e.failing[1], e.costlyObjects
	}
	if was := failing.Swap(err != nil); err != nil && !was {
		e.opt.Log.Warn("no sample"+e.objects.of(among), "err", err)
		if p, ok := errors.AsType[*panicked](err); ok {
			e.opt.Log.Error("this is a fault of winperf", "stack", string(p.stack))
		}
	} else if err == nil && was {
		e.opt.Log.Info("samples succeed again")
	}
}

// ServeHTTP answers a scrape.
func (e *Exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := e.scrape(w, r)
	e.self.answered(status)
}

func (e *Exporter) scrape(w http.ResponseWriter, r *http.Request) int {
	if r.Method == http.MethodHead { // without a sample
		w.Header().Set("Content-Type", e.format(r).ContentType())
		return http.StatusOK
	}
	q, status, err := e.parse(r.Context(), r.URL.RawQuery)
	if err != nil {
		return refuse(w, status, err)
	}

	select {
	case e.scrapes <- struct{}{}:
		defer func() { <-e.scrapes }()
	default:
		err := fmt.Errorf("%d scrapes are being answered: try again later", maxScrapes)
		return refuse(w, http.StatusServiceUnavailable, err)
	}

	wait := e.limitOf(r.Header.Get("X-Prometheus-Scrape-Timeout-Seconds"))
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()

	// Give the client additional time to read an answer that may be late.
	more := writeTime
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		more = server.WriteTimeout
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(wait + more))
	return e.answer(ctx, w, r, &q)
}

// maxTimeout limits the timeout that a scrape can request, and so the wait for a source that does
// not answer.
const maxTimeout = 2 * time.Minute

func (e *Exporter) limitOf(header string) time.Duration {
	seconds, err := strconv.ParseFloat(header, 64)
	if err != nil || !(seconds > 0 && seconds < MaxTime.Seconds()) {
		return e.opt.Timeout
	}
	requested := min(time.Duration(seconds*float64(time.Second)), max(maxTimeout, e.opt.Timeout))
	if requested <= e.opt.TimeoutOffset {
		return requested / 2
	}
	return requested - e.opt.TimeoutOffset
}

// answer takes a sample and writes its metrics to memory, then to the client.
func (e *Exporter) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, q *request) int {
	_, err := e.main.get(ctx)
	if err != nil && (r.Context().Err() != nil || errors.Is(err, errClosed) || !e.objects.any()) {
		return refuse(w, http.StatusServiceUnavailable, fmt.Errorf("no sample: %w", err))
	}
	if e.costly != nil {
		e.costly.background(ctx, e.opt.CostlyInterval, max(e.opt.CostlyInterval, e.opt.Timeout))
	}

	if e.takeTurn(ctx) != nil {
		err := errors.New("timeout while other scrapes were answered")
		return refuse(w, http.StatusServiceUnavailable, err)
	}
	format := e.format(r)
	text := &answer{pool: &e.answers, gzip: takesGzip(strings.Join(r.Header.Values("Accept-Encoding"), ","))}
	defer text.release()
	err = e.write(r.Context(), text, q, err == nil, format)

	switch {
	case err == nil: // a client that disconnected is no error
		return e.send(w, text, format)
	case errors.Is(err, errClosed), errors.Is(err, errAnswers), r.Context().Err() != nil:
		return refuse(w, http.StatusServiceUnavailable, err)
	}
	return refuse(w, http.StatusInternalServerError, err)
}

// takeTurn waits for the turn until ctx ends. It takes a free turn even after the end of ctx,
// because the sample may have used up the time.
func (e *Exporter) takeTurn(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case e.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Responds waits until a scrape could be answered. If ctx ends before, it returns the error of ctx.
func (e *Exporter) Responds(ctx context.Context) error {
	if err := e.takeTurn(ctx); err != nil {
		return err
	}
	<-e.turn
	return nil
}

// write writes the requested metrics of the latest samples and releases the turn. sampled
// reports whether the scrape has a sample. A view that panicked is replaced.
func (e *Exporter) write(
	ctx context.Context, to *answer, q *request, sampled bool, format prometheus.Format,
) error {
	defer func() { <-e.turn }()
	if e.all == nil {
		return errClosed
	}
	whole := false
	defer func() {
		if !whole {
			e.all = e.newView(&request{})
		}
	}()

	main, costly, err := e.newest(sampled)
	if err == nil {
		err = e.all.update(context.Background(), main, costly)
	}
	v := e.all
	if err == nil && !q.everything() {
		v, err = e.filtered(ctx, q, main, costly)
	}
	if err == nil {
		err = v.write(to, main != nil, format)
	}
	whole = true
	return err
}

// newest returns the latest samples, which may be nil. main is nil without sampled.
func (e *Exporter) newest(sampled bool) (main, costly *snapshot, err error) {
	if sampled {
		if main = e.main.latest(); main == nil {
			return nil, nil, errClosed
		}
	}
	if e.costly != nil {
		costly = e.costly.latest()
	}
	return main, costly, nil
}

// filtered returns a view for one scrape, whose counters continue from e.all.
func (e *Exporter) filtered(
	ctx context.Context, q *request, main, costly *snapshot,
) (*view, error) {
	v := e.newView(q)
	if err := v.continueFrom(e.all); err != nil {
		return v, err
	}
	return v, v.update(ctx, main, costly)
}

func (e *Exporter) format(r *http.Request) prometheus.Format {
	return prometheus.Negotiate(strings.Join(r.Header.Values("Accept"), ","), e.textOnly())
}

func (e *Exporter) textOnly() bool {
	return slices.Contains(e.opt.Names, metrics.WindowsExporter) || len(e.opt.Counters) > 0
}

// Continue takes over metrics from last, another exporter of the same source: values of 4-byte
// counters that wrapped then continue beyond 2^32. Call it before the first scrape. It waits until
// scrapes of last have ended. The error is from ctx, or reports that one of the two is closed.
func (e *Exporter) Continue(ctx context.Context, last *Exporter) error {
	if err := last.takeTurn(ctx); err != nil {
		return err
	}
	defer func() { <-last.turn }()
	if err := errors.Join(last.mapped(true).Keep(), last.mapped(false).Keep()); err != nil {
		return err
	}
	return e.all.continueFrom(last.all)
}

// Close stops current samples. Waiting scrapes get an error. The source stays open.
func (e *Exporter) Close() error {
	err := e.main.close()
	if e.costly != nil {
		err = errors.Join(err, e.costly.close())
	}
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	e.all = nil
	return err
}
