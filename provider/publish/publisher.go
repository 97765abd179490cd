package publish

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

// Options configure a [Publisher]. The zero value is ready to use.
type Options struct {
	// Dir is the directory of the file. "" selects the first usable directory of [Environment], or of the
	// system's list if that variable is not set. On Linux the list begins with /run/winperf;
	// docs/publish.md has the list of each system.
	Dir string
	// Group, on Unix, is the name or number of the group that may read the counters. The default is the
	// group that the system gives to new files in the directory: the group of the directory if it has the
	// set-group-ID bit, else the group of this process.
	Group string
}

// ErrFull is wrapped by the error of Object.Instance if the file has no room for the instance: the file
// of a publisher has at most 64 MiB.
var ErrFull = errors.New("no room for more instances")

// Publisher publishes the objects of one schema, until it is closed or the
// program ends. It may be used from several goroutines.
type Publisher struct {
	objects []*Object

	mu     sync.Mutex
	memory memory
	closed bool
	ended  chan struct{}
}

// New begins to publish. When it returns, readers can see the objects and all instances added later. Do
// not change the schema afterwards. Close the Publisher to end publishing.
//
// The error wraps registration.ErrInvalid if the schema is invalid, and winperf.ErrNotSupported if this
// system cannot publish. If no directory is usable, the error has the reason for each directory.
func New(s *registration.Declaration, opt Options) (*Publisher, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, fmt.Errorf("publishing counters on %s, which is big-endian: %w",
			runtime.GOARCH, winperf.ErrNotSupported)
	}
	image, err := newFileImage(s)
	if err != nil {
		return nil, err
	}

	dirs := chooseDirs()
	if opt.Dir != "" {
		dirs = configuredDirs([]string{opt.Dir})
	}

	f, err := newFile(dirs, s.Driver, opt.Group)
	if err != nil {
		return nil, err
	}

	p := &Publisher{memory: memory{file: f, static: image.static}, ended: make(chan struct{})}
	if err := p.begin(image); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	go p.stay()
	return p, nil
}

// NewCounter publishes an object with one counter and no instances, until the program ends, and returns
// the counter. Use [New] for several counters, instances, help texts or other languages. The errors are
// the errors of New and of [Publisher.Counter].
func NewCounter(object, name string, t counter.Type) (*Counter, error) {
	declared := registration.Counter{Text: provider.Text{Name: name}, Type: t.String()}
	s := &registration.Declaration{Objects: []registration.Object{{
		Text: provider.Text{Name: object}, Counters: []registration.Counter{declared},
	}}}
	s.Complete()

	p, err := New(s, Options{})
	if err != nil {
		return nil, err
	}
	return p.Counter(object, name)
}

// lookAfter is the interval between checks that the file is complete. An access to a counter detects only
// that its own memory is missing.
const lookAfter = time.Second

// stay keeps a publisher to which the program has no reference: its objects remain readable, and the file
// remains locked.
func (p *Publisher) stay() {
	tick := time.NewTicker(lookAfter)
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-tick.C:
			p.restore()
		}
	}
}

func (p *Publisher) begin(image *fileImage) error {
	if err := p.memory.begin(); err != nil {
		return err
	}

	// References to objects, instances and counters keep the publisher, so its memory is unused when the
	// publisher is collected.
	runtime.AddCleanup(p, unmapAll, p.memory.mapping)

	for i, o := range image.objects {
		object := &Object{publisher: p, number: uint32(i), declared: o, image: image.images[i]}
		p.objects = append(p.objects, object)
		if o.Multi {
			continue
		}
		var err error
		if object.single, err = object.add(nil, nil); err != nil {
			return err
		}
	}

	p.memory.show()
	return nil
}

// Object returns the object of that name, ignoring case. The error wraps winperf.ErrNoObject if the
// schema has no such object.
func (p *Publisher) Object(name string) (*Object, error) {
	for _, o := range p.objects {
		if strings.EqualFold(o.declared.Name, name) {
			return o, nil
		}
	}
	return nil, fmt.Errorf("object %q: %w in the schema", name, winperf.ErrNoObject)
}

// Counter returns a counter of an object without instances. It calls Object, Object.Single and
// Instance.Counter and returns their errors.
func (p *Publisher) Counter(object, name string) (*Counter, error) {
	o, err := p.Object(object)
	if err != nil {
		return nil, err
	}
	in, err := o.Single()
	if err != nil {
		return nil, err
	}
	return in.Counter(name)
}

// Path returns the path of the published file.
func (p *Publisher) Path() string { return p.memory.file.Name() }

// Audience returns a description, for messages, of the accounts that can read the counters, such as "this
// account and root".
func (p *Publisher) Audience() string {
	for _, d := range chooseDirs() {
		if d.private && d.path == filepath.Dir(p.Path()) {
			return "only this account; to admit others, an administrator must create " + systemDirs()[0].path
		}
	}
	return audienceOf(p.memory.file)
}

// Close ends publishing: all objects of this publisher disappear. The program can still use its counters,
// but readers do not see them. A second Close does nothing.
func (p *Publisher) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}

	p.closed = true
	close(p.ended)
	p.memory.hide()
	err := os.Remove(p.Path())
	if err != nil && runtime.GOOS == "windows" && p.memory.mapping != nil {
		p.memory.mapping.remove = p.Path() // Windows cannot remove mapped files
		err = nil
	}

	if absent(err) {
		err = nil
	}
	return errors.Join(err, p.memory.file.Close())
}

type fileImage struct {
	objects []*provider.Object
	images  []*provider.Image
	static  []byte
}

func newFileImage(s *registration.Declaration) (*fileImage, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}

	pl := &fileImage{objects: s.ProviderObjects(pubfile.FirstTitle)}
	if len(pl.objects) > pubfile.MaxObjects || len(text) > pubfile.MaxSchema {
		return nil, fmt.Errorf("schema of %d objects and %d bytes, want at most %d and %d: %w",
			len(pl.objects), len(text), pubfile.MaxObjects, pubfile.MaxSchema, registration.ErrInvalid)
	}

	for _, o := range pl.objects {
		m, err := provider.NewImage(o)
		if err != nil {
			return nil, err
		}
		pl.images = append(pl.images, m)
	}
	pl.static = pl.encode(s.Driver, text)
	return pl, nil
}

func (pl *fileImage) encode(driver string, schema []byte) []byte {
	le := binary.LittleEndian
	p := make([]byte, pubfile.HeaderSize)
	put := func(field int, v int) { le.PutUint32(p[field:], uint32(v)) }
	put(pubfile.HeaderVersion, int(pubfile.Version))
	put(pubfile.HeaderLength, pubfile.HeaderSize)
	put(pubfile.HeaderProcess, os.Getpid())
	put(pubfile.HeaderObjects, len(pl.images))
	le.PutUint64(p[pubfile.HeaderStarted:], uint64(winperf.ToFiletime(time.Now())))
	put(pubfile.HeaderDriver, len(p))
	p = wire.AppendUTF16Z(p, driver)
	put(pubfile.HeaderDriverLen, len(p)-pubfile.HeaderSize)
	p = padTo(p, 8)
	table := len(p)
	put(pubfile.HeaderTable, table)
	p = append(p, make([]byte, pubfile.ObjectSize*len(pl.images))...)
	put(pubfile.HeaderSchema, len(p))
	put(pubfile.HeaderSchemaLen, len(schema))

	p = append(p, schema...)
	for i, m := range pl.images {
		p = padTo(p, 8)
		entry := table + pubfile.ObjectSize*i
		put(entry+pubfile.ObjectHead, len(p))
		put(entry+pubfile.ObjectHeadLen, len(m.Head))
		put(entry+pubfile.ObjectBlock, m.Block)
		if pl.objects[i].Multi {
			le.PutUint32(p[entry+pubfile.ObjectFlags:], pubfile.HasInstances)
		}
		p = append(p, m.Head...)
	}

	p = padTo(p, slotUnit)
	put(pubfile.HeaderSlots, len(p))
	le.PutUint64(p[pubfile.HeaderUsed:], uint64(len(p)))
	return p
}

func padTo(p []byte, multiple int) []byte {
	return append(p, make([]byte, -len(p)&(multiple-1))...)
}
