package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pubfile"
	"golang.org/x/time/rate"
)

// ReaderOptions configure a [Reader]. The zero value is ready to use.
type ReaderOptions struct {
	// Dirs are the directories to read. nil selects the directories of [Environment], or of the system's
	// list if that variable is not set (see docs/publish.md).
	Dirs []string
	// Reserved reports whether a name, in upper or lower case, belongs to an object of the system.
	// Published objects of such a name are not shown. nil reserves no names.
	Reserved func(name string) bool
	// OnProblem, if not nil, is called with new problems of published files, at most once a second.
	// Problems found within this second are reported when they are found again. OnProblem must not call
	// the Reader.
	OnProblem func(error)
	// budget limits the memory, in bytes, for the files of one directory: for definitions, which may use
	// half of it, and for instances during a sample. Files are read in the order of trust. Files beyond
	// the limit are omitted and reported. The default is 256 MiB.
	budget int64
}

// defaultBudget is the default of budget. It is larger than the needs of a file of MaxFile bytes.
const defaultBudget = 4 * pubfile.MaxFile

// Reader finds the objects published on this machine. It may be used from several goroutines.
//
// Published files may be faulty or hostile: the reader copies and checks all data, and limits its memory.
// An invalid file does not affect other files. The reader shows the objects of root, of the account of
// the reading program and of the accounts in [PublishersFile], with precedence in this order. It does not
// show objects of other accounts, but reports each such object once.
type Reader struct {
	opt      ReaderOptions
	turn     chan struct{} // holds one element while a goroutine uses the fields below
	dirs     []*watched
	reported map[string]bool // reported problems of existing files
	times    rate.Sometimes  // limits reports of problems
	accounts accounts
	trust    trust
	open     fileOf
	window   int
	changes  uint64 // 1 + number of files added, removed or omitted
	opened   int

	refreshes uint64

	closed atomic.Bool
}

type watched struct {
	directory
	modified time.Time
	trusted  bool
	files    map[string]*foreign
	passed   map[string]passed // leftovers without a publisher, and unreadable files
	wrong    error
	spent    int64
}

type passed struct {
	info   fs.FileInfo
	closed error // reason why this account may not read it; nil: no publisher
}

// NewReader returns a reader. It reads no files before the first View.Refresh.
func NewReader(opt ReaderOptions) *Reader {
	if opt.budget <= 0 {
		opt.budget = defaultBudget
	}
	r := &Reader{
		opt:      opt,
		turn:     make(chan struct{}, 1),
		reported: map[string]bool{},
		times:    rate.Sometimes{Interval: time.Second},
		accounts: accounts{},
		trust:    trust{path: PublishersFile, own: int64(os.Geteuid()), outside: outsideAccount()},
		open:     openIdentified,
		changes:  1,
	}

	dirs := chooseDirs()
	if opt.Dirs != nil {
		dirs = configuredDirs(opt.Dirs)
	}

	for _, d := range dirs {
		r.dirs = append(r.dirs,
			&watched{directory: d, files: map[string]*foreign{}, passed: map[string]passed{}})
	}
	return r
}

func (r *Reader) take(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Reader) release() { <-r.turn }

// Close ends reading: later refreshes of the reader's views find no objects. Close does not wait for a
// running refresh. The error is always nil.
func (r *Reader) Close() error {
	r.closed.Store(true) // without waiting for the turn, which a file system may block forever
	return nil
}

func (r *Reader) refreshTrust() {
	if !r.trust.refresh() {
		return
	}
	r.changes++
	for _, d := range r.dirs {
		d.trusted = false
	}
	for _, err := range r.trust.wrong {
		r.report(r.trust.path, err)
	}
}

// settled is the age at which a directory's modification time is reliable. An earlier second change may
// have the same time, because clocks of file systems are coarse.
const settled = time.Second

// timesReliable reports that every change in a directory changes its time, as POSIX requires.
const timesReliable = runtime.GOOS != "windows"

func (r *Reader) look(ctx context.Context, d *watched) error {
	info, err := d.check()
	if err != nil {
		r.empty(d)
		if !absent(err) {
			d.wrong = err
			r.report(d.path, err)
		}
		return nil
	}

	if d.trusted && info.ModTime().Equal(d.modified) {
		return nil
	}
	d.modified = info.ModTime()
	d.trusted = timesReliable && time.Since(info.ModTime()) > settled
	if err := r.scan(ctx, d); err != nil {
		d.trusted = false
		return err
	}
	return nil
}

func (r *Reader) empty(d *watched) {
	if len(d.files) > 0 {
		r.changes++
	}
	clear(d.files)
	clear(d.passed)
	*d = watched{directory: d.directory, files: d.files, passed: d.passed}
}

func (r *Reader) scan(ctx context.Context, d *watched) error {
	names, err := list(ctx, d.path)
	if ctx.Err() != nil {
		return ctx.Err()
	}

	if d.wrong = err; err != nil {
		r.report(d.path, err)
	}

	there := map[string]bool{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(d.path, name)
		there[path] = true
		if f := d.files[path]; f != nil && !r.published(f) {
			r.drop(f)
		}
		if d.files[path] == nil {
			r.meet(d, path)
		}
	}

	for path, f := range d.files {
		if !there[path] {
			r.drop(f)
		}
	}

	maps.DeleteFunc(d.passed, func(path string, _ passed) bool { return !there[path] })
	return r.admit(ctx, d)
}

const maxEntries = 64 * pubfile.MaxFiles

func list(ctx context.Context, dir string) (names []string, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	for n := 0; ctx.Err() == nil; {
		entries, err := f.ReadDir(pubfile.MaxFiles)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), pubfile.Suffix) && e.Type().IsRegular() {
				names = append(names, e.Name())
			}
		}

		if n += len(entries); n >= maxEntries {
			const message = "%s: more than %d entries, the rest is ignored: %w"
			return names, fmt.Errorf(message, dir, maxEntries, errTooMuch)
		}

		if len(entries) == 0 || err != nil {
			break
		}
	}
	return names, ctx.Err()
}

// published reports whether the publisher of a file is alive. It probes once per refresh. If the file
// cannot be opened temporarily, for example because too many files are open, it returns true.
func (r *Reader) published(f *foreign) bool {
	if f.probed == r.refreshes {
		return true
	}
	f.probed = r.refreshes
	r.opened++

	there := false
	err := f.use(func() (err error) {
		there, err = alive(f.file.(*os.File))
		return err
	})
	if err != nil {
		return !errors.Is(err, errRemoved) && !errors.Is(err, fs.ErrPermission)
	}
	return there
}

func (r *Reader) drop(f *foreign) {
	delete(f.dir.files, f.path)
	f.dir.trusted = false // the removal changes the directory
	r.changes++
	reclaim(f.path)
}

// meet examines a new file. It probes the publisher first: a file without a publisher is removed or
// ignored.
func (r *Reader) meet(d *watched, path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	before, known := d.passed[path]
	if known && os.SameFile(before.info, info) && before.info.Mode() == info.Mode() {
		return
	}

	delete(d.passed, path)
	r.opened++
	file, id, err := r.open(path)
	if absent(err) {
		return
	}

	if errors.Is(err, fs.ErrPermission) {
		d.passed[path] = passed{info, err}
		r.changes++
	}

	if err != nil {
		r.report(path, err)
		return
	}
	defer file.Close()

	r.addIfAlive(d, info, &foreign{
		path: path, dir: d, id: id,
		open: r.open, file: file, window: r.window, probed: r.refreshes,
	}, file)
}

// addIfAlive adds a new, open file to the directory if its publisher is alive.
func (r *Reader) addIfAlive(d *watched, info fs.FileInfo, f *foreign, file *os.File) {
	_, _, err := f.header()
	there, lockErr := alive(file)
	f.file = nil

	switch {
	case lockErr != nil:
		r.report(f.path, lockErr)
	case !there:
		d.passed[f.path] = passed{info: info}
		reclaim(f.path)
	case errors.Is(err, errNotReady):
		d.trusted = false
	default:
		d.files[f.path] = f
		r.changes++
	}
}

// definitionShare is the divisor of a directory's budget for definitions.
const definitionShare = 2

// admit reads the definitions of the files in the order of trust, within the budget. Untrusted accounts
// cannot displace others.
func (r *Reader) admit(ctx context.Context, d *watched) error {
	files := slices.SortedFunc(maps.Values(d.files), r.trust.older)

	d.spent = 0
	seen := map[[2]uint64]bool{}
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		number := [2]uint64{f.id.device, f.id.number}
		switch {
		case i >= pubfile.MaxFiles:
			r.omit(f, fmt.Errorf("%s: more than %d published files: %w", f.path,
				pubfile.MaxFiles, errTooMuch))
		case seen[number]:
			r.omit(f, fmt.Errorf("%s is a second name of a published file: %w", f.path, errTooMuch))
		default:
			seen[number] = true
			r.load(d, f)
		}
	}
	return nil
}

func (r *Reader) load(d *watched, f *foreign) {
	rest := r.opt.budget/definitionShare - d.spent
	if known := f.objects != nil || f.isWrong() && !f.pauses.Over(time.Now()); known && f.cost <= rest {
		d.spent += f.cost
		return
	}

	r.opened++
	err := f.use(func() (err error) {
		if err = f.id.check(f.path); err == nil {
			f.cost, err = f.readStatic(rest)
		}
		return err
	})

	if err == nil {
		f.wrong = nil
		f.pauses.Reset()
		d.spent += f.cost
		r.changes++
		return
	}

	if !errors.Is(err, errTooMuch) {
		d.spent += min(f.cost, rest)
	}
	r.omit(f, err)
}

// isWrong reports whether the content is known to be invalid. It hardly ever changes, so it is not
// checked again for each sample.
func (f *foreign) isWrong() bool {
	return errors.Is(f.wrong, winperf.ErrBadData) && !errors.Is(f.wrong, errTooMuch)
}

// omit hides a file and reports the reason.
func (r *Reader) omit(f *foreign, err error) {
	if errors.Is(err, errNotReady) || errors.Is(err, errRemoved) { // it is about to end
		f.dir.trusted = false
		err = nil
	}

	f.objects = nil
	f.images = nil
	f.wrong = err
	if f.isWrong() {
		f.pauses.Fail(time.Now())
	}

	r.changes++
	if err != nil {
		r.report(f.path, err)
	}
}

const maxReported = 4096

// report reports a new problem, at most one per second: other accounts can change their files all the
// time.
func (r *Reader) report(path string, err error) {
	key := path + "\x00" + err.Error()
	if r.reported[key] || r.opt.OnProblem == nil {
		return
	}
	r.times.Do(func() {
		if len(r.reported) == maxReported {
			clear(r.reported)
		}
		r.reported[key] = true
		r.opt.OnProblem(err)
	})
}
