package perflib

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// system has the functions of the system's library (perflib.h), named without Perf. Handles are the
// library's; an error is its error number.
type system interface {
	// StartProvider registers a provider. collect, if not nil, is called before the system reads values.
	StartProvider(id *[16]byte, collect func()) (provider uintptr, err error)
	SetCounterSetInfo(provider uintptr, template []byte) error
	CreateInstance(provider uintptr, set *[16]byte, name string, id uint32) (instance uintptr, err error)
	// SetCounterRefValue sets the address of a counter's value. The system reads there until the instance
	// is deleted.
	SetCounterRefValue(provider, instance uintptr, counter uint32, address unsafe.Pointer) error
	DeleteInstance(provider, instance uintptr) error
	StopProvider(provider uintptr) error
	// PerformanceCounter returns the high-resolution clock and its ticks per second.
	PerformanceCounter() (ticks, perSecond int64)
}

// Provider is a version 2 provider. It may be used from several goroutines.
type Provider struct {
	api    system
	handle uintptr
	sets   map[string]*set
	clock  *clock

	mu     sync.Mutex
	closed bool
	alive  map[*Instance]bool
}

// clock is the objects' own time, for counters that need it. The system reads it in place.
type clock struct {
	time, frequency atomic.Int64
	pin             runtime.Pinner
}

type set struct {
	*regfile.ManifestSet
	multi bool
	taken map[string]map[uint32]bool
}

// Instance is an instance of a counter set.
type Instance struct {
	provider *Provider
	set      *set
	handle   uintptr
	name     string
	id       uint32
	values   []*publish.Counter // kept alive as long as the instance
	deleted  bool
}

// singleName is the name of the instance of a set without instances. It is never shown.
const singleName = "_Default"

// Start registers the provider of a schema with all its counter sets. Objects without instances have the
// values of p.
//
// The error wraps registration.ErrInvalid where the schema lacks a GUID or the binary, or is not the
// schema of p, and winperf.ErrNotSupported where the system has no such providers.
func Start(s *registration.Declaration, p *publish.Publisher) (*Provider, error) {
	api, err := advapi()
	if err != nil {
		return nil, err
	}
	return start(api, s, p)
}

func start(api system, s *registration.Declaration, p *publish.Publisher) (*Provider, error) {
	m, err := regfile.ManifestOf(s)
	if err != nil {
		return nil, err
	}

	v := &Provider{api: api, sets: map[string]*set{}, alive: map[*Instance]bool{}, clock: &clock{}}
	if err := v.start(m); err != nil {
		return nil, err
	}
	for i := range s.Objects {
		if err := v.begin(s, i, &m.Providers[0].Sets[i], p); err != nil {
			return nil, errors.Join(err, v.Close())
		}
	}
	return v, nil
}

// start registers the provider. If a counter needs the objects' own time, the time is updated before the
// system reads values.
func (v *Provider) start(m *regfile.Manifest) (err error) {
	var collect func()
	for _, set := range m.Providers[0].Sets {
		timed := func(c regfile.ManifestCounter) bool { return c.Value.Time }
		if slices.ContainsFunc(set.Counters, timed) {
			c, api := v.clock, v.api
			collect = func() { c.tick(api) }
		}
	}
	if collect != nil {
		collect()
	}

	id := m.Providers[0].GUID
	v.clock.pin.Pin(v.clock)
	if v.handle, err = v.api.StartProvider((*[16]byte)(&id), collect); err != nil {
		v.clock.pin.Unpin()
		return fmt.Errorf("start provider %s: %w", id, err)
	}
	return nil
}

func (c *clock) tick(api system) {
	ticks, perSecond := api.PerformanceCounter()
	c.time.Store(ticks)
	c.frequency.Store(perSecond)
}

func (v *Provider) begin(s *registration.Declaration, i int, m *regfile.ManifestSet,
	p *publish.Publisher) error {
	o := &s.Objects[i]
	v.sets[strings.ToLower(o.Name)] = &set{m, o.Multi, map[string]map[uint32]bool{}}
	if err := v.api.SetCounterSetInfo(v.handle, template(s.GUID, m, o.Multi)); err != nil {
		return fmt.Errorf("counter set %q: %w", o.Name, err)
	}
	if o.Multi {
		return nil
	}

	object, err := p.Object(o.Name)
	if err != nil {
		return fmt.Errorf("%w: %w", registration.ErrInvalid, err)
	}
	in, err := object.Single()
	if err != nil {
		return fmt.Errorf("%w: %w", registration.ErrInvalid, err)
	}
	_, err = v.create(o.Name, singleName, in)
	return err
}

// Instance adds an instance to the counter set of an object, with the values of a published instance of
// it. The error wraps winperf.ErrNoObject, or winperf.ErrState where the object has no instances or the
// provider is closed.
func (v *Provider) Instance(object, name string, values *publish.Instance) (*Instance, error) {
	s := v.sets[strings.ToLower(object)]
	switch {
	case s == nil:
		return nil, fmt.Errorf("object %q: %w in the schema", object, winperf.ErrNoObject)
	case !s.multi:
		return nil, fmt.Errorf("object %q has no instances: %w", object, winperf.ErrState)
	}
	return v.create(object, name, values)
}

func (v *Provider) create(object, name string, values *publish.Instance) (*Instance, error) {
	fault := func(err error) error {
		return fmt.Errorf("instance %q of counter set %q: %w", name, object, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil, fault(winperf.ErrState)
	}

	in := &Instance{provider: v, set: v.sets[strings.ToLower(object)], name: strings.ToLower(name)}
	addresses, err := in.addresses(values)
	if err != nil {
		return nil, fault(err)
	}

	in.id = in.set.take(in.name)
	if in.handle, err = v.api.CreateInstance(v.handle, (*[16]byte)(&in.set.GUID), name, in.id); err != nil {
		delete(in.set.taken[in.name], in.id)
		return nil, fault(err)
	}

	v.alive[in] = true
	for i := range in.set.Counters {
		id := in.set.Counters[i].ID
		if err := v.api.SetCounterRefValue(v.handle, in.handle, id, addresses[i]); err != nil {
			return nil, fault(errors.Join(fmt.Errorf("counter %d: %w", id, err), in.delete()))
		}
	}
	return in, nil
}

func (in *Instance) addresses(values *publish.Instance) (list []unsafe.Pointer, err error) {
	for i := range in.set.Counters {
		var c *publish.Counter
		switch of := in.set.Counters[i].Value; {
		case of.Time:
			list = append(list, unsafe.Pointer(&in.provider.clock.time))
			continue
		case of.Frequency:
			list = append(list, unsafe.Pointer(&in.provider.clock.frequency))
			continue
		case of.Base:
			c, err = values.Base(of.Counter)
		default:
			c, err = values.Counter(of.Counter)
		}

		if err != nil {
			return nil, err
		}
		in.values = append(in.values, c)
		list = append(list, c.Address())
	}
	return list, nil
}

func (s *set) take(name string) (id uint32) {
	if s.taken[name] == nil {
		s.taken[name] = map[uint32]bool{}
	}
	for s.taken[name][id] {
		id++
	}
	s.taken[name][id] = true
	return id
}

// ID distinguishes instances of the same name: 0 for the first one.
func (in *Instance) ID() uint32 { return in.id }

// Remove removes the instance. Removing it again does nothing.
func (in *Instance) Remove() error {
	in.provider.mu.Lock()
	defer in.provider.mu.Unlock()
	return in.delete()
}

func (in *Instance) delete() error {
	if in.deleted {
		return nil
	}
	if err := in.provider.api.DeleteInstance(in.provider.handle, in.handle); err != nil {
		return fmt.Errorf("delete instance %q: %w", in.name, err)
	}

	in.deleted = true
	in.values = nil
	delete(in.provider.alive, in)
	delete(in.set.taken[in.name], in.id)
	if len(in.set.taken[in.name]) == 0 {
		delete(in.set.taken, in.name)
	}
	return nil
}

// Close deletes all instances and stops the provider. A second Close does nothing. Close it before the
// publisher.
func (v *Provider) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil
	}

	v.closed = true
	var errs []error
	for in := range v.alive {
		errs = append(errs, in.delete())
	}

	if err := v.api.StopProvider(v.handle); err != nil {
		// the system may still read the clock
		return errors.Join(append(errs, fmt.Errorf("stop provider: %w", err))...)
	}
	v.clock.pin.Unpin()
	return errors.Join(errs...)
}
