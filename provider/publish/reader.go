package publish

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf/provider"
)

// ReaderOptions for a [Reader]. The zero options are ready for use.
type ReaderOptions struct {
	// Dirs are the directories to look into. The default is what Dirs returns.
	Dirs []string
	// Reserved tells names that nobody may publish an object under, in any case:
	// those of the machine's own objects.
	Reserved func(name string) bool
	// OnProblem, if not nil, is told what is wrong with a published file, once.
	// It must not call the Reader.
	OnProblem func(error)
}

// maxData bounds what one sample reads of all files together.
const maxData = 4 * MaxFile

// Reader finds what is published on this machine. It may be used from several
// goroutines.
//
// What it reads is other processes', which may be faulty or hostile: it copies
// all that it looks at, checks it, and bounds what it takes. A file that is not
// right costs itself.
type Reader struct {
	opt  ReaderOptions
	mu   sync.Mutex
	dirs []*watched
	told map[string]bool // problems of files that are there
	last atomic.Pointer[published]
}

// watched is a directory with the files that were found in it.
type watched struct {
	directory
	modified time.Time
	trusted  bool // modified tells whether something came or went
	files    map[string]*foreign
	refused  map[string]bool // files that are not right
}

// NewReader returns a reader, which has not looked yet.
func NewReader(opt ReaderOptions) *Reader {
	r := &Reader{opt: opt, told: map[string]bool{}}
	dirs := chooseDirs()
	if opt.Dirs != nil {
		dirs = givenDirs(opt.Dirs)
	}
	for _, d := range dirs {
		r.dirs = append(r.dirs, &watched{directory: d, files: map[string]*foreign{}, refused: map[string]bool{}})
	}
	return r
}

// Refresh looks which objects are published now and returns the provider of
// them, nil where there are none. As long as the objects and their counters are
// the same, so is the provider; publishers and instances come and go by
// themselves. Only the latest provider delivers something.
func (r *Reader) Refresh() provider.Provider {
	if r.mu.TryLock() { // or somebody is reading, who may be held up
		r.refresh()
		r.mu.Unlock()
	}
	if p := r.last.Load(); p != nil {
		return p
	}
	return nil
}

// Close closes all files. The reader finds nothing any more.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.dirs {
		for _, f := range d.files {
			f.close()
		}
	}
	r.dirs = nil
	r.last.Store(nil)
	return nil
}

func (r *Reader) refresh() {
	changed := false
	for _, d := range r.dirs {
		changed = r.look(d) || changed
	}
	if !changed {
		return
	}
	var files []*foreign
	for _, d := range r.dirs {
		for _, f := range d.files {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b *foreign) int {
		return cmp.Or(cmp.Compare(a.started, b.started), strings.Compare(a.path, b.path))
	})
	m := merger{reserved: r.opt.Reserved, problem: r.problemOf, titles: newTitleBook()}
	m.merge(files)
	r.replace(m.objects)
}

// replace makes these the published objects.
func (r *Reader) replace(objects []*merged) {
	if len(objects) == 0 {
		r.last.Store(nil)
		return
	}
	next := &published{reader: r, objects: objects}
	for i, m := range objects {
		next.declared = append(next.declared, m.object)
		for _, p := range m.parts {
			p.file.shown[p.number] = i
		}
	}
	if old := r.last.Load(); old != nil && reflect.DeepEqual(old.declared, next.declared) {
		old.objects = objects
		return
	}
	r.last.Store(next)
}

// settled is how old the last change of a directory must be for its time to tell
// of the next one: clocks of file systems are coarse.
const settled = time.Second

// timesTell: every change in a directory shows in its time, as POSIX has it.
const timesTell = runtime.GOOS != "windows"

// look finds out which files came and went.
func (r *Reader) look(d *watched) (changed bool) {
	for path, f := range d.files {
		if !f.published() {
			f.close()
			delete(d.files, path)
			changed = true
			d.trusted = false // the file is to be removed
		}
	}
	info, err := os.Stat(d.path)
	if absent(err) && len(d.files) == 0 {
		d.trusted = false
		return changed
	}
	if err == nil && d.trusted && info.ModTime().Equal(d.modified) {
		return changed
	}
	if err == nil {
		err = d.check()
	}
	if err != nil {
		r.tell(d.path, err)
		return d.clear() || changed
	}
	d.modified, d.trusted = info.ModTime(), timesTell && time.Since(info.ModTime()) > settled
	return r.scan(d) || changed
}

// clear forgets all files.
func (d *watched) clear() (changed bool) {
	changed = len(d.files) > 0
	for _, f := range d.files {
		f.close()
	}
	clear(d.files)
	return changed
}

// scan opens files that are new, and closes those that are not there any more.
func (r *Reader) scan(d *watched) (changed bool) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		r.tell(d.path, err)
		return false
	}
	there := map[string]bool{}
	for _, e := range entries {
		path := filepath.Join(d.path, e.Name())
		if !strings.HasSuffix(e.Name(), Suffix) || !e.Type().IsRegular() {
			continue
		}
		if len(there) == MaxFiles {
			r.tell(d.path, fmt.Errorf("%s: more than %d published files: the others are left out", d.path, MaxFiles))
			break
		}
		there[path] = true
		if d.files[path] == nil && !d.refused[path] {
			changed = r.open(d, path) || changed
		}
	}
	for path, f := range d.files {
		if !there[path] {
			f.close()
			delete(d.files, path)
			changed = true
		}
	}
	for path := range d.refused {
		if !there[path] {
			delete(d.refused, path)
		}
	}
	return changed
}

// open opens a file that is new. One whose publisher is gone is removed, and one
// that is being made is looked at again.
func (r *Reader) open(d *watched, path string) bool {
	f, err := openForeign(path)
	switch {
	case errors.Is(err, errNotReady):
		d.trusted = false
		reclaim(path) // unless somebody is making it
	case absent(err):
	case err != nil:
		reclaim(path)
		d.refused[path] = true
		r.tell(path, err)
	case !f.published():
		f.close()
		reclaim(path)
	default:
		d.files[path] = f
		return true
	}
	return false
}

// problemOf tells a problem of a file.
func (r *Reader) problemOf(f *foreign, format string, args ...any) {
	r.tell(f.path, fmt.Errorf("%s: %s", f.path, fmt.Sprintf(format, args...)))
}

// maxTold bounds how many problems are remembered as told.
const maxTold = 4096

// tell tells a problem, if it was not told before.
func (r *Reader) tell(path string, err error) {
	key := path + "\x00" + err.Error()
	if r.told[key] || r.opt.OnProblem == nil {
		return
	}
	if len(r.told) == maxTold {
		clear(r.told)
	}
	r.told[key] = true
	r.opt.OnProblem(err)
}
