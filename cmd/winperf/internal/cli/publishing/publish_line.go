package publishing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

type publishing struct {
	publisher *publish.Publisher
	objects   []registration.Object
	instances map[instanceKey]*publishNode // existing instances
}

// instanceKey identifies an instance: the position of its object, and its full name in lower case (""
// without instances).
type instanceKey struct {
	object int
	name   string
}

type publishNode struct {
	*publish.Instance
	parent   *publishNode // may be nil
	children map[instanceKey]bool
	handles  []publishHandle // by position of the counter in the schema
}

type publishHandle struct{ value, base *publish.Counter }

func newPublishing(p *publish.Publisher, s *registration.Declaration) *publishing {
	return &publishing{publisher: p, objects: s.Objects, instances: map[instanceKey]*publishNode{}}
}

// line executes a line. It returns nil or an error with the column in characters.
func (p *publishing) line(text string) *winperf.DataError {
	if strings.TrimSpace(text) == "" || text[0] == '#' {
		return nil
	}
	text = strings.TrimRight(text, " \t")
	split := strings.LastIndexAny(text, " \t")
	if split < 0 {
		return &winperf.DataError{Column: 1, Msg: "expected a path, a space and a value"}
	}

	path, value := strings.TrimRight(text[:split], " \t"), text[split+1:]
	at := func(offset int) int { return utf8.RuneCountInString(text[:offset]) + 1 }
	if strings.EqualFold(value, "remove") {
		if err := p.remove(path); err != nil {
			return &winperf.DataError{Column: pathColumn(path, err), Msg: err.Error()}
		}
		return nil
	}

	// A line without a value has a part of its path as value, so an error of the path is reported first.
	target, noTarget := p.target(path)
	c, err := parseChange(value, target.double)
	if _, whole := p.target(text); err != nil && noTarget != nil && whole == nil {
		return &winperf.DataError{Column: 1, Msg: "no value: expected a path, a space and a value"}
	}
	if err != nil {
		return &winperf.DataError{Column: at(split + 1), Msg: err.Error()}
	}
	if noTarget != nil {
		return &winperf.DataError{Column: pathColumn(path, noTarget), Msg: noTarget.Error()}
	}

	there := p.instances[target.key] != nil
	h, err := p.handle(target)
	if err != nil {
		return &winperf.DataError{Column: 1, Msg: err.Error()}
	}
	if err := c.apply(h, target.double); err != nil {
		if !there && target.HasInstance {
			err = errors.Join(err, p.drop(target.key))
		}
		return &winperf.DataError{Column: at(split + 1), Msg: err.Error()}
	}
	return nil
}

func pathColumn(path string, err error) int {
	var fault *winperf.DataError
	if errors.As(err, &fault) && fault.Text == path {
		return utf8.RuneCountInString(path[:fault.Offset]) + 1
	}
	return 1
}

type publishTarget struct {
	winperf.Path
	object  *publish.Object
	key     instanceKey
	counter int  // position in the schema
	double  bool // the raw value is a float64
}

// target returns the counter named by a path. Its instance may be missing.
func (p *publishing) target(text string) (t publishTarget, err error) {
	if t.Path, err = winperf.ParsePath(text); err != nil {
		return t, err
	}
	if t.object, t.key, err = p.object(t.Path); err != nil {
		return t, err
	}

	switch multi := t.object.Multi(); {
	case !multi && t.HasInstance:
		const form = `object %s has no instances: expected \%s\%s`
		return t, fmt.Errorf(form, t.Object, t.Object, t.Counter)
	case multi && !t.HasInstance:
		const form = `object %s has instances: expected \%s(NAME)\%s`
		return t, fmt.Errorf(form, t.Object, t.Object, t.Counter)
	}

	counters := p.objects[t.key.object].Counters
	t.counter = slices.IndexFunc(counters, func(c registration.Counter) bool {
		return strings.EqualFold(c.Name, t.Counter)
	})
	if t.counter < 0 {
		const form = "counter %q: %w in object %q of the schema"
		return t, fmt.Errorf(form, t.Counter, winperf.ErrNoCounter, t.Object)
	}

	typ, err := counter.ParseType(counters[t.counter].Type)
	t.double = typ == counter.DoubleRaw
	return t, err
}

func (p *publishing) handle(t publishTarget) (*publishHandle, error) {
	node, err := p.node(t)
	if err != nil {
		return nil, err
	}
	h := &node.handles[t.counter]
	if h.value != nil {
		return h, nil
	}

	value, err := node.Counter(t.Counter)
	if err != nil {
		return nil, err
	}
	base, err := node.Base(t.Counter)
	if err != nil && !errors.Is(err, winperf.ErrNoCounter) {
		return nil, err
	}
	h.value, h.base = value, base
	return h, nil
}

func (p *publishing) object(path winperf.Path) (*publish.Object, instanceKey, error) {
	if path.Machine != "" || path.Index != 0 {
		return nil, instanceKey{},
			errors.New("expected a path without a machine and without #NUMBER")
	}
	o, err := p.publisher.Object(path.Object)
	if err != nil {
		return nil, instanceKey{}, err
	}
	i := slices.IndexFunc(p.objects, func(o registration.Object) bool {
		return strings.EqualFold(o.Name, path.Object)
	})
	return o, instanceKey{i, strings.ToLower(path.Instance)}, nil
}

// node returns the instance of a counter, and creates it if necessary.
func (p *publishing) node(t publishTarget) (*publishNode, error) {
	if node := p.instances[t.key]; node != nil {
		return node, nil
	}
	node := &publishNode{handles: make([]publishHandle, len(p.objects[t.key.object].Counters))}

	var err error
	if t.object.Multi() {
		err = p.create(node, t)
	} else {
		node.Instance, err = t.object.Single()
	}
	if err != nil {
		return nil, err
	}
	p.instances[t.key] = node
	return node, nil
}

func (p *publishing) create(node *publishNode, t publishTarget) error {
	name, parent, err := p.parent(t.Instance)
	if err != nil {
		return err
	}
	opt := publish.InstanceOptions{}
	if parent != nil {
		opt.Parent = parent.Instance
	}

	if node.Instance, err = t.object.Instance(name, opt); err != nil || parent == nil {
		return err
	}
	node.parent = parent
	if parent.children == nil {
		parent.children = map[instanceKey]bool{}
	}
	parent.children[t.key] = true
	return nil
}

// parent finds the longest existing instance that is a prefix of full before a slash. It returns the rest
// of the name, or all of it without a parent.
func (p *publishing) parent(full string) (name string, parent *publishNode, err error) {
	for i := strings.LastIndexByte(full, '/'); i > 0; i = strings.LastIndexByte(full[:i], '/') {
		for k := range p.objects {
			node := p.instances[instanceKey{k, strings.ToLower(full[:i])}]
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

func (p *publishing) remove(text string) error {
	path, err := winperf.ParsePath(text)
	if err != nil {
		return err
	}
	o, key, err := p.object(path)
	if err != nil {
		return err
	}
	if !o.Multi() {
		return fmt.Errorf("object %s has no instances: nothing to remove", path.Object)
	}
	if !path.HasInstance || path.Counter != "*" {
		return fmt.Errorf(`expected \%s(NAME)\* remove`, path.Object)
	}

	if p.instances[key] == nil {
		return fmt.Errorf("instance %q of object %q: %w", path.Instance, path.Object, winperf.ErrNoInstance)
	}
	return p.drop(key)
}

func (p *publishing) drop(key instanceKey) error {
	node := p.instances[key]
	if node.parent != nil {
		delete(node.parent.children, key)
	}
	p.forget(key)
	return node.Remove()
}

func (p *publishing) forget(key instanceKey) {
	for child := range p.instances[key].children {
		p.forget(child)
	}
	delete(p.instances, key)
}

type change struct {
	value, base amount
	hasBase     bool
}

type amount struct {
	sign   byte // '+' or '-'; 0 sets
	n      uint64
	double float64 // the number, if the raw value is a float64
}

func parseChange(s string, double bool) (c change, err error) {
	value, base, hasBase := strings.Cut(s, "/")
	if c.value, err = parseAmount(value, double); err == nil && hasBase {
		c.hasBase = true
		c.base, err = parseAmount(base, false)
	}
	if err == nil {
		return c, nil
	}

	number := "a whole number"
	if double {
		number = "a number"
	}
	return c, fmt.Errorf("%q: expected %s, +N, -N, VALUE/BASE or remove", s, number)
}

func parseAmount(s string, double bool) (a amount, err error) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		a.sign, s = s[0], s[1:]
	}
	if !double {
		a.n, err = strconv.ParseUint(s, 10, 64)
		return a, err
	}

	// ParseFloat also accepts -Inf, NaN and +1.
	if strings.Trim(s, "0123456789.eE+-") != "" || strings.IndexAny(s, "+-") == 0 {
		return a, strconv.ErrSyntax
	}
	a.double, err = strconv.ParseFloat(s, 64)
	return a, err
}

func (c change) apply(h *publishHandle, double bool) error {
	if c.hasBase && h.base == nil {
		return errors.New("this counter type has no base: expected one number")
	}
	if double {
		return c.value.applyDouble(h.value)
	}

	if err := c.value.check(h.value); err != nil {
		return err
	}
	if !c.hasBase {
		c.value.apply(h.value)
		return nil
	}
	if err := c.base.check(h.base); err != nil {
		return err
	}
	c.value.apply(h.value)
	c.base.apply(h.base)
	return nil
}

// check returns an error if the counter cannot take the number.
func (a amount) check(c *publish.Counter) error {
	if c.Size() == 4 && a.n > math.MaxUint32 {
		return errors.New("the value has 4 bytes: expected at most 4294967295")
	}
	if now := c.Load(); a.sign == '-' && a.n > now {
		return fmt.Errorf("the value is %d and cannot become negative", now)
	}
	return nil
}

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

func (a amount) applyDouble(c *publish.Counter) error {
	v := a.double
	switch a.sign {
	case '+':
		v = math.Float64frombits(c.Load()) + a.double
	case '-':
		v = math.Float64frombits(c.Load()) - a.double
	}
	if math.IsInf(v, 0) {
		return errors.New("the value is out of range")
	}
	c.Set(math.Float64bits(v))
	return nil
}
