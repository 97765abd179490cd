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

// ReaderOptions for a [Reader]. The zero options are ready for use.
type ReaderOptions struct {
	// Dirs are the directories to look into. nil takes those that [Environment] names, or
	// else those of the system (docs/publish.md lists them).
	Dirs []string
	// Reserved tells names that nobody may publish an object under, in any case:
	// those of the machine's own objects.
	Reserved func(name string) bool
	// OnProblem, if not nil, is called with new problems of published files, at most once a second. A problem
	// that is left out for that is reported when it is found again. OnProblem must not call the Reader.
	OnProblem func(error)
	// budget bounds the bytes of memory that the files of one directory may take
	// together: their definitions, which may take half of it, and in a sample their
	// instances. Files are read in the order of trust; the last ones are left out and
	// reported. The default is 256 MiB.
	budget int64
}

// defaultBudget is the default of the budget. A single file of MaxFile
// bytes is well within it.
const defaultBudget = 4 * pubfile.MaxFile

// Reader finds what is published on this machine. It may be used from several
// goroutines.
//
// What it reads was written by other processes, which may be faulty or hostile: it
// copies all that it looks at, checks it, and bounds the memory. Only the file that is
// wrong is left out. It shows the objects of root, of the account that reads and of the
// accounts in [PublishersFile], in this order. It reports each other object once.
type Reader struct {
	opt      ReaderOptions
	turn     chan struct{} // holds one element while a goroutine uses what follows
	dirs     []*watched
	told     map[string]bool // problems of files that are there
	times    rate.Sometimes  // reports of problems
	accounts accounts
	trust    trust
	open     fileOf
	window   int    // see foreign
	changes  uint64 // 1 + the files that came, went or were left out so far
	opened   int    // files opened to know them or their publishers, so far

	refreshes uint64 // so far

	closed atomic.Bool
}

// watched is a directory with the files that were found in it.
type watched struct {
	directory
	modified time.Time
	trusted  bool // modified tells whether something came or went
	files    map[string]*foreign
	passed   map[string]passed // leftovers, which nobody publishes, and files that are for others
	wrong    error             // what keeps the directory from being read
	spent    int64             // of the budget, for definitions
}

// passed is a file that was passed over.
type passed struct {
	info   fs.FileInfo
	closed error // why this account may not read it; nil: nobody publishes it
}

// NewReader returns a reader, which has not looked yet.
func NewReader(opt ReaderOptions) *Reader {
	if opt.budget <= 0 {
		opt.budget = defaultBudget
	}
	r := &Reader{
		opt:      opt,
		turn:     make(chan struct{}, 1),
		told:     map[string]bool{},
		times:    rate.Sometimes{Interval: time.Second},
		accounts: accounts{},
		trust:    trust{path: PublishersFile, own: int64(os.Geteuid()), outside: outsideAccount()},
		open:     openIdentified,
		changes:  1,
	}

	dirs := chooseDirs()
	if opt.Dirs != nil {
		dirs = givenDirs(opt.Dirs)
	}

	for _, d := range dirs {
		r.dirs = append(r.dirs,
			&watched{directory: d, files: map[string]*foreign{}, passed: map[string]passed{}})
	}
	return r
}

// take lets its caller use the reader, as soon as no other goroutine does.
func (r *Reader) take(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Reader) giveBack() { <-r.turn }

// Close ends reading. The reader's views find nothing any more.
func (r *Reader) Close() error {
	r.closed.Store(true) // without the turn, which a file system may hold for ever
	return nil
}

// refreshTrust reads the file of trusted accounts if it has changed. Then the files of all
// directories are put in order again.
func (r *Reader) refreshTrust() {
	if !r.trust.refresh() {
		return
	}
	r.changes++
	for _, d := range r.dirs {
		d.trusted = false
	}
	for _, err := range r.trust.wrong {
		r.tell(r.trust.path, err)
	}
}

// settled is how old the last change of a directory must be for its time to tell
// of the next one: clocks of file systems are coarse.
const settled = time.Second

// timesTell: every change in a directory shows in its time, as POSIX has it.
const timesTell = runtime.GOOS != "windows"

// look finds out which files came and went.
func (r *Reader) look(ctx context.Context, d *watched) error {
	info, err := d.check()
	if err != nil {
		r.empty(d)
		if !absent(err) {
			d.wrong = err
			r.tell(d.path, err)
		}
		return nil
	}

	if d.trusted && info.ModTime().Equal(d.modified) {
		return nil
	}
	d.modified = info.ModTime()
	d.trusted = timesTell && time.Since(info.ModTime()) > settled
	if err := r.scan(ctx, d); err != nil {
		d.trusted = false
		return err
	}
	return nil
}

// empty forgets all about a directory that cannot be looked into.
func (r *Reader) empty(d *watched) {
	if len(d.files) > 0 {
		r.changes++
	}
	clear(d.files)
	clear(d.passed)
	*d = watched{directory: d.directory, files: d.files, passed: d.passed}
}

// scan takes notice of files that are new, and forgets those that are not there
// any more or whose publishers are gone.
func (r *Reader) scan(ctx context.Context, d *watched) error {
	names, err := list(ctx, d.path)
	if ctx.Err() != nil {
		return ctx.Err()
	}

	if d.wrong = err; err != nil {
		r.tell(d.path, err)
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

// maxEntries bounds how many entries of a directory are looked at.
const maxEntries = 64 * pubfile.MaxFiles

// list returns the names of the files in a directory that may be published ones.
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
			break // at the end, or where it cannot go on
		}
	}
	return names, ctx.Err()
}

// published reports whether the publisher of a file is still there. It is asked once in a
// refresh. A file that cannot be opened for now, as there are no descriptors left, has not
// lost its publisher.
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
		return !errors.Is(err, errGone) && !errors.Is(err, fs.ErrPermission)
	}
	return there
}

// drop forgets a file, and removes it if its publisher was killed.
func (r *Reader) drop(f *foreign) {
	delete(f.dir.files, f.path)
	f.dir.trusted = false // the file is to be removed
	r.changes++
	reclaim(f.path)
}

// meet takes notice of a file that is new. Its publisher is looked at before anything
// in it: a file without a publisher is removed or passed over.
func (r *Reader) meet(d *watched, path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return // it is gone again
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
		r.tell(path, err)
		return
	}
	defer file.Close() // it was only read

	r.judge(d, info, &foreign{
		path: path, dir: d, id: id,
		open: r.open, file: file, window: r.window, probed: r.refreshes,
	}, file)
}

// judge takes a file that was met, which is open, among those of the directory, if its
// publisher is there.
func (r *Reader) judge(d *watched, info fs.FileInfo, f *foreign, file *os.File) {
	_, _, err := f.header()
	there, lockErr := alive(file)
	f.file = nil

	switch {
	case lockErr != nil:
		r.tell(f.path, lockErr)
	case !there:
		d.passed[f.path] = passed{info: info}
		reclaim(f.path)
	case errors.Is(err, errNotReady):
		d.trusted = false // it may be ready at any time
	default: // what is wrong with it is found when it is read
		d.files[f.path] = f
		r.changes++
	}
}

// definitionShare is the part of a directory's budget that definitions may take.
const definitionShare = 2

// admit reads the definitions of the files in the order of trust, as long as the budget
// lasts. So files of accounts that are not trusted never displace others.
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
			r.leaveOut(f, fmt.Errorf("%s: there are more than %d published files: %w", f.path,
				pubfile.MaxFiles, errTooMuch))
		case seen[number]:
			r.leaveOut(f, fmt.Errorf("%s is a second name of a published file: %w", f.path, errTooMuch))
		default:
			seen[number] = true
			r.load(d, f)
		}
	}
	return nil
}

// load reads the definitions of a file unless they are known, and takes their cost off
// the budget, also where they are wrong.
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
	r.leaveOut(f, err)
}

// isWrong reports whether what the file holds is known not to be right. It hardly ever
// changes, so looking again with every sample would only take the reader's time.
func (f *foreign) isWrong() bool {
	return errors.Is(f.wrong, winperf.ErrBadData) && !errors.Is(f.wrong, errTooMuch)
}

// leaveOut has a file show nothing, and tells why.
func (r *Reader) leaveOut(f *foreign, err error) {
	if errors.Is(err, errNotReady) || errors.Is(err, errGone) { // it is about to end
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
		r.tell(f.path, err)
	}
}

// maxTold bounds how many problems are remembered as reported.
const maxTold = 4096

// tell reports a problem, if it was not reported before and none was in the last second: the files of other
// accounts can change all the time.
func (r *Reader) tell(path string, err error) {
	key := path + "\x00" + err.Error()
	if r.told[key] || r.opt.OnProblem == nil {
		return
	}
	r.times.Do(func() {
		if len(r.told) == maxTold {
			clear(r.told)
		}
		r.told[key] = true
		r.opt.OnProblem(err)
	})
}
