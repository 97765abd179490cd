package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// publishing carries out lines.
type publishing struct {
	publisher *publish.Publisher
	objects   []string                     // names
	instances map[instanceKey]*publishNode // that are there
	handles   map[string]*publishHandle    // by path as it was written
}

// instanceKey names an instance: its object and its full name, in lower case.
type instanceKey struct{ object, name string }

// publishNode is an instance with the keys of its children.
type publishNode struct {
	*publish.Instance
	children []instanceKey
	paths    []string // that have a handle
}

// publishHandle is a counter that a line named.
type publishHandle struct{ value, base *publish.Counter }

func newPublishing(p *publish.Publisher, s *registration.Declaration) *publishing {
	pub := &publishing{
		publisher: p, instances: map[instanceKey]*publishNode{}, handles: map[string]*publishHandle{},
	}
	for i := range s.Objects {
		pub.objects = append(pub.objects, s.Objects[i].Name)
	}
	return pub
}

// line carries out a line. It returns nil or, with the column in characters, why it
// could not.
func (p *publishing) line(text string) *winperf.DataError {
	if strings.TrimSpace(text) == "" || text[0] == '#' {
		return nil
	}
	text = strings.TrimRight(text, " \t")
	split := strings.LastIndexAny(text, " \t")
	if split < 0 {
		return &winperf.DataError{Column: 1, Msg: "expected a path, a blank and a value"}
	}

	path, value := strings.TrimRight(text[:split], " \t"), text[split+1:]
	at := func(offset int) int { return utf8.RuneCountInString(text[:offset]) + 1 }
	if strings.EqualFold(value, "remove") {
		if err := p.remove(path); err != nil {
			return &winperf.DataError{Column: pathColumn(path, err), Msg: err.Error()}
		}
		return nil
	}

	c, err := parseChange(value)
	if err != nil {
		return &winperf.DataError{Column: at(split + 1), Msg: err.Error()}
	}

	h, err := p.handle(path)
	if err != nil {
		return &winperf.DataError{Column: pathColumn(path, err), Msg: err.Error()}
	}
	if err := c.apply(h); err != nil {
		return &winperf.DataError{Column: at(split + 1), Msg: err.Error()}
	}
	return nil
}

// pathColumn is where an error says that a path, which begins the line, is wrong.
func pathColumn(path string, err error) int {
	var fault *winperf.DataError
	if errors.As(err, &fault) && fault.Text == path {
		return utf8.RuneCountInString(path[:fault.Offset]) + 1
	}
	return 1
}

// handle returns the counter that a path names, and makes its instance if that is
// not there.
func (p *publishing) handle(text string) (*publishHandle, error) {
	if h := p.handles[text]; h != nil {
		return h, nil
	}
	path, err := winperf.ParsePath(text)
	if err != nil {
		return nil, err
	}

	o, err := p.object(path)
	if err != nil {
		return nil, err
	}

	in, node, err := p.instance(o, path)
	if err != nil {
		return nil, err
	}

	h := &publishHandle{}
	if h.value, err = in.Counter(path.Counter); err != nil {
		return nil, err
	}
	if h.base, err = in.Base(path.Counter); err != nil && !errors.Is(err, winperf.ErrNoCounter) {
		return nil, err
	}

	if node != nil {
		node.paths = append(node.paths, text)
	}
	p.handles[text] = h
	return h, nil
}

// object returns the object of a path that names one thing of this machine.
func (p *publishing) object(path winperf.Path) (*publish.Object, error) {
	if path.Machine != "" || path.Index != 0 {
		return nil, errors.New("expected a path without a machine and without # and a number")
	}
	return p.publisher.Object(path.Object)
}

// instance returns what has the counter of a path, and its node if it is one of
// several.
func (p *publishing) instance(o *publish.Object, path winperf.Path) (*publish.Instance, *publishNode, error) {
	if !o.Multi() {
		if path.HasInstance {
			const form = `object %s has no instances: expected \%s\%s`
			return nil, nil, fmt.Errorf(form, path.Object, path.Object, path.Counter)
		}
		in, err := o.Single()
		return in, nil, err
	}

	if !path.HasInstance {
		const form = `object %s has instances: expected \%s(NAME)\%s`
		return nil, nil, fmt.Errorf(form, path.Object, path.Object, path.Counter)
	}
	key := keyOf(path.Object, path.Instance)
	if node := p.instances[key]; node != nil {
		return node.Instance, node, nil
	}
	if err := p.knowsCounter(o, path); err != nil {
		return nil, nil, err
	}

	name, parent, err := p.parent(path.Instance)
	if err != nil {
		return nil, nil, err
	}

	opt := publish.InstanceOptions{}
	if parent != nil {
		opt.Parent = parent.Instance
	}

	in, err := o.Instance(name, opt)
	if err != nil {
		return nil, nil, err
	}

	node := &publishNode{Instance: in}
	p.instances[key] = node
	if parent != nil {
		parent.children = append(parent.children, key)
	}
	return in, node, nil
}

// knowsCounter tells whether a counter is there before an instance is made for
// it.
func (p *publishing) knowsCounter(o *publish.Object, path winperf.Path) error {
	if o.Has(path.Counter) {
		return nil
	}
	const form = "counter %q: %w in object %q of the schema"
	return fmt.Errorf(form, path.Counter, winperf.ErrNoCounter, path.Object)
}

// parent finds the instance that a name begins with, before a slash: the one with
// the longest name. It returns the rest of the name, all of it without a parent.
func (p *publishing) parent(full string) (name string, parent *publishNode, err error) {
	for i := strings.LastIndexByte(full, '/'); i > 0; i = strings.LastIndexByte(full[:i], '/') {
		for _, object := range p.objects {
			node := p.instances[keyOf(object, full[:i])]
			if node != nil && parent != nil {
				return "", nil, fmt.Errorf("instance %q: several objects have a parent %q", full, full[:i])
			}
			if node != nil {
				name, parent = full[i+1:], node
			}
		}
		if parent != nil {
			return name, parent, nil
		}
	}
	return full, nil, nil
}

// remove takes an instance away, with its children.
func (p *publishing) remove(text string) error {
	path, err := winperf.ParsePath(text)
	if err != nil {
		return err
	}
	if _, err := p.object(path); err != nil {
		return err
	}
	if !path.HasInstance || path.Counter != "*" {
		return fmt.Errorf(`expected \%s(NAME)\* remove`, path.Object)
	}

	key := keyOf(path.Object, path.Instance)
	node := p.instances[key]
	if node == nil {
		return fmt.Errorf("instance %q of object %q: %w", path.Instance, path.Object, winperf.ErrNoInstance)
	}
	p.forget(key)
	return node.Remove()
}

func (p *publishing) forget(key instanceKey) {
	node := p.instances[key]
	if node == nil {
		return
	}
	for _, child := range node.children {
		p.forget(child)
	}
	for _, path := range node.paths {
		delete(p.handles, path)
	}
	delete(p.instances, key)
}

func keyOf(object, instance string) instanceKey {
	return instanceKey{strings.ToLower(object), strings.ToLower(instance)}
}

// change is what is to be done with a raw value and its base.
type change struct {
	value, base amount
	hasBase     bool
}

// amount is a number to set, or to add to or subtract from what is there.
type amount struct {
	sign byte // '+' or '-'; 0 sets
	n    uint64
}

func parseChange(s string) (c change, err error) {
	value, base, hasBase := strings.Cut(s, "/")
	if c.value, err = parseAmount(value); err == nil && hasBase {
		c.hasBase = true
		c.base, err = parseAmount(base)
	}
	if err != nil {
		return c, fmt.Errorf("%q: expected a whole number, +N, -N, VALUE/BASE or remove", s)
	}
	return c, nil
}

func parseAmount(s string) (a amount, err error) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		a.sign, s = s[0], s[1:]
	}
	a.n, err = strconv.ParseUint(s, 10, 64)
	return a, err
}

func (c change) apply(h *publishHandle) error {
	switch {
	case c.hasBase && h.base == nil:
		return errors.New("the type of this counter has no base: expected one number")
	case !c.value.fits(h.value) || c.hasBase && !c.base.fits(h.base):
		return errors.New("the value has 4 bytes: expected up to 4294967295")
	}
	c.value.apply(h.value)
	if c.hasBase {
		c.base.apply(h.base)
	}
	return nil
}

func (a amount) fits(c *publish.Counter) bool { return c.Size() == 8 || a.n < 1<<32 }

func (a amount) apply(c *publish.Counter) {
	switch a.sign {
	case '+':
		c.Add(a.n)
	case '-':
		c.Add(-a.n)
	default:
		c.Set(a.n)
	}
}
