package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
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

// Options for an Exporter besides its configuration.
type Options struct {
	Config
	// Version of the program, for winperf_build_info.
	Version string
	// Log receives what goes wrong; nil discards it.
	Log *slog.Logger
	// Last is the exporter that the new one replaces: the counts about the program go on; nil begins at 0.
	Last *Exporter
	// More returns further metrics about the program. They are served with the exporter's own, and no counter
	// gets one of their names. Nil is none.
	More func(now time.Time) []metrics.Family
}

// Exporter answers scrapes: it is the http.Handler of /metrics for one configuration and one
// source. It may be used from several goroutines.
type Exporter struct {
	opt     Options
	src     winperf.Source
	sel     winperf.Selection // of the main sampler
	mapping metrics.Options
	main    feed
	costly  *sampler // nil: costly objects are not wanted, or come with the others
	objects *objects
	own     *own

	// The objects that the samplers' samples could hold; each belongs to one of them.
	mainObjects, costlyObjects map[string]bool
	mainPaths, costlyPaths     *unmatched
	failing                    [2]atomic.Bool // the last samples of both

	scrapes chan struct{} // holds one element for each scrape, until its answer was read
	answers answers

	// turn holds one element while a scrape maps a sample and writes its text to memory, and while a sampler
	// decodes a sample. It guards the frames and:
	turn chan struct{}
	all  *view // of everything that is served
	zip  *gzip.Writer
}

// maxScrapes bounds the scrapes at once. More are refused.
const maxScrapes = 40

// writeTime is how long a client may take to read an answer, where its http.Server has no WriteTimeout.
const writeTime = 30 * time.Second

// New returns an exporter over a source, which it does not close. It takes no sample of a live source, and
// reads a recorded one to its end. The error is from the source, or is what Config.Check returns.
func New(ctx context.Context, src winperf.Source, opt Options) (*Exporter, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	opt.Config = opt.WithDefaults()
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))

	e := &Exporter{
		opt: opt, src: src, own: newOwn(opt.Version),
		scrapes: make(chan struct{}, maxScrapes), turn: make(chan struct{}, 1),
		zip:         gzip.NewWriter(io.Discard),
		mainObjects: map[string]bool{}, costlyObjects: map[string]bool{},
		mapping: metrics.Options{
			Names: opt.Names, Totals: opt.Totals, LoneTotals: src.Describe().Recorded, Exclude: opt.Exclude,
			Generic: opt.Counters, NoLegacy: opt.NoLegacy, NoKeep: true,
		},
	}
	if opt.Last != nil {
		e.own = opt.Last.own
		e.opt.Last = nil
	}

	if err := e.open(ctx); err != nil {
		return nil, err
	}
	e.all = e.newView(nil, nil)
	return e, nil
}

// Mapping returns how the exporter maps samples to metrics, for a program that also sends them. Its Select is
// everything that is served.
func (e *Exporter) Mapping() metrics.Options {
	opt := e.mapping
	opt.Select, opt.NoKeep = e.sel, false
	return opt
}

// Objects returns the names of the objects that samples have had, or that paths name, in their order.
func (e *Exporter) Objects() (names []string) {
	for _, o := range e.objects.list(time.Now(), nil, nil) {
		names = append(names, o.Name)
	}
	return names
}

// open makes the samplers.
func (e *Exporter) open(ctx context.Context) error {
	sel := e.opt.Selection()
	e.objects = newObjects()
	e.mainPaths, e.costlyPaths = newUnmatched(sel.Paths), newUnmatched(nil)
	e.mapping.Reserved = e.own.reserved(e)
	how := measure.Options{Language: e.opt.Language, FramesOnly: true}

	is := e.src.Describe()
	e.mapping.Facts = hostfacts.For(is)
	if is.Recorded {
		if len(sel.Paths) == 0 {
			sel.Costly = true // a record has what it has
		}
		e.sel = sel
		e.objects.expect(sel.Paths, e.mainObjects)
		var err error
		e.main, err = readRecorded(ctx, e.src, sel, how, e.tookMain, e.damaged)
		return err
	}

	if e.opt.leavesOutThreads() {
		threads := wholeObject(threadObject)
		e.mapping.Exclude = append(e.mapping.Exclude[:len(e.mapping.Exclude):len(e.mapping.Exclude)], threads)
		e.objects.without = threadObject
	}
	rest, costly, err := e.split(ctx, sel)
	if err != nil {
		return err
	}
	e.sel = sel
	e.objects.expect(rest.Paths, e.mainObjects)
	e.objects.expect(costly.Paths, e.costlyObjects)
	e.mainPaths, e.costlyPaths = newUnmatched(rest.Paths), newUnmatched(costly.Paths)
	e.main = newSampler(
		func() *measure.Measurement { return measure.New(e.src, rest, how) }, e.tookMain,
		func() frame.Frame { return e.mapped(true) }, e.turn,
	)
	if !selection.IsEmpty(costly) {
		renew := func() *measure.Measurement { return measure.New(e.src, costly, how) }
		e.costly = newSampler(renew, e.tookCostly, func() frame.Frame { return e.mapped(false) }, e.turn)
	}
	return nil
}

// mapped returns the frame of one of the samplers that the next one will be compared with. The caller has the
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

// split splits a selection: the costly objects of a live source are sampled at their own pace, so
// that they delay no scrape.
func (e *Exporter) split(
	ctx context.Context, sel winperf.Selection,
) (rest, costly winperf.Selection, err error) {
	schema, err := winperf.CostlySchema(ctx, e.src)
	if err != nil || schema == nil || len(schema.Costly) == 0 {
		return sel, costly, err
	}

	names, _ := nametable.FromSchema(schema)
	rest, costly, _ = selection.Split(sel, names, schema.Costly)
	if selection.IsEmpty(rest) { // there is nothing that they could delay
		return sel, winperf.Selection{}, nil
	}
	return rest, costly, nil
}

func (e *Exporter) tookMain(c *measure.Cycle, err error) {
	e.objects.note(c, e.mainObjects)
	e.mainPaths.note(c)
	e.took(c, err, true)
}

func (e *Exporter) tookCostly(c *measure.Cycle, err error) {
	e.objects.note(c, e.costlyObjects)
	e.costlyPaths.note(c)
	e.took(c, err, false)
}

// damaged notes that a record could not be read to its end.
func (e *Exporter) damaged(err error) {
	e.own.damaged()
	e.opt.Log.Warn("the record is damaged, what can be read of it is served", "err", err)
}

// took notes what became of a sample. That samples fail is told once, and when they no longer do.
func (e *Exporter) took(c *measure.Cycle, err error, main bool) {
	e.own.took(c, err, main)
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
		e.opt.Log.Info("samples can be taken again")
	}
}

// ServeHTTP answers a scrape.
func (e *Exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := e.scrape(w, r)
	e.own.answered(status)
}

// scrape answers and returns the status.
func (e *Exporter) scrape(w http.ResponseWriter, r *http.Request) int {
	if r.Method == http.MethodHead { // which takes no sample
		w.Header().Set("Content-Type", e.format(r).ContentType())
		return http.StatusOK
	}
	// A filter that is lost would be an answer with everything.
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refuse(w, http.StatusBadRequest, fmt.Errorf("the query cannot be read: %w", err))
	}
	f, err := parseFilter(query)
	if err != nil {
		return refuse(w, http.StatusBadRequest, err)
	}
	paths, err := f.within(r.Context(), e.sel)
	if err != nil {
		return refuse(w, http.StatusBadRequest, err)
	}
	if len(f) > 0 && len(paths) == 0 {
		return refuse(w, http.StatusNotFound, errors.New("nothing of this is served"))
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

	// A client gets a while more to read what may be long by now.
	more := writeTime
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		more = server.WriteTimeout
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(wait + more))
	return e.answer(ctx, w, r, f, paths)
}

// maxTimeout is how long a scrape can say that it waits: a source that does not answer is waited for
// as long.
const maxTimeout = 2 * time.Minute

// limitOf is how long a scrape may take.
func (e *Exporter) limitOf(header string) time.Duration {
	seconds, err := strconv.ParseFloat(header, 64)
	if err != nil || !(seconds > 0 && seconds < MaxTime.Seconds()) {
		return e.opt.Timeout
	}
	asked := min(time.Duration(seconds*float64(time.Second)), max(maxTimeout, e.opt.Timeout))
	if asked <= e.opt.TimeoutOffset {
		return asked / 2
	}
	return asked - e.opt.TimeoutOffset
}

// answer takes a sample and writes its metrics to memory. The client reads them when others have the turn.
func (e *Exporter) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, f filter,
	paths []winperf.Path,
) int {
	_, err := e.main.get(ctx)
	if err != nil && (r.Context().Err() != nil || errors.Is(err, errClosed) || !e.objects.any()) {
		return refuse(w, http.StatusServiceUnavailable, fmt.Errorf("no sample: %w", err))
	}
	if e.costly != nil {
		e.costly.beside(ctx, e.opt.CostlyInterval, max(e.opt.CostlyInterval, e.opt.Timeout))
	}

	if e.takeTurn(ctx) != nil {
		err := errors.New("others are still getting their metrics")
		return refuse(w, http.StatusServiceUnavailable, err)
	}
	format := e.format(r)
	text := &answer{pool: &e.answers, gzip: takesGzip(strings.Join(r.Header.Values("Accept-Encoding"), ","))}
	defer text.release()
	err = e.write(r.Context(), text, f, paths, err == nil, format)

	switch {
	case err == nil: // a client that has disconnected since does not matter
		return e.send(w, text, format)
	case errors.Is(err, errClosed), errors.Is(err, errAnswers), r.Context().Err() != nil:
		return refuse(w, http.StatusServiceUnavailable, err)
	}
	return refuse(w, http.StatusInternalServerError, err)
}

// takeTurn waits for the turn, as long as ctx lasts. A free turn is taken at any time: the sample may have
// needed all the time.
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

// write writes the metrics that a filter chooses of the newest samples, and gives the turn back. sampled says
// whether the scrape got a sample. A view that panicked is not used again.
func (e *Exporter) write(
	ctx context.Context, to *answer, f filter, paths []winperf.Path, sampled bool, format prometheus.Format,
) error {
	defer func() { <-e.turn }()
	if e.all == nil {
		return errClosed
	}
	whole := false
	defer func() {
		if !whole {
			e.all = e.newView(nil, nil)
		}
	}()

	main, costly, err := e.newest(sampled)
	if err == nil {
		err = e.all.update(context.Background(), main, costly)
	}
	v := e.all
	if err == nil && len(f) > 0 {
		v, err = e.filtered(ctx, f, paths, main, costly)
	}
	if err == nil {
		err = v.write(to, main != nil, format)
	}
	whole = true
	return err
}

// newest returns the newest samples, each of which may be nil; the first one is if the scrape got none.
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

// filtered returns a view for one scrape. Its counters are where the view of everything has them.
func (e *Exporter) filtered(
	ctx context.Context, f filter, paths []winperf.Path, main, costly *snapshot,
) (*view, error) {
	v := e.newView(f, paths)
	if err := v.continues(e.all); err != nil {
		return v, err
	}
	return v, v.update(ctx, main, costly)
}

// format is the one that a request asks for.
func (e *Exporter) format(r *http.Request) prometheus.Format {
	return prometheus.Negotiate(strings.Join(r.Header.Values("Accept"), ","), e.textOnly())
}

// textOnly reports whether there are names that OpenMetrics does not allow.
func (e *Exporter) textOnly() bool {
	return slices.Contains(e.opt.Names, metrics.WindowsExporter) || len(e.opt.Counters) > 0
}

// Continue has counters of 4 bytes go on over 2^32 from their values in another exporter of the same source.
// It waits for a scrape of that one as long as ctx lasts, and is called before the first scrape of this one.
// The error is from ctx, or says that one of the two is closed.
func (e *Exporter) Continue(ctx context.Context, last *Exporter) error {
	if err := last.takeTurn(ctx); err != nil {
		return err
	}
	defer func() { <-last.turn }()
	if err := errors.Join(last.mapped(true).Keep(), last.mapped(false).Keep()); err != nil {
		return err
	}
	return e.all.continues(last.all)
}

// Close ends the samples under way. Scrapes that still wait get an error; the source stays
// open.
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
