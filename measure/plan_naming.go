package measure

import (
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
)

// NameRule gives the instances of an object other names than the source does.
// An instance keeps the name that it was given when it came as long as it
// lives. Paths can ask for either name.
type NameRule struct {
	// Object is the object's name, as in a path; wildcards are allowed. "" is every
	// object.
	Object string
	// Name is what to call instance i of an object; ok is false where the rule
	// has no name for it. Instances that get the same name are numbered, as
	// always.
	Name func(o frame.Object, i int) (name string, ok bool)
}

// Title indices of the counters that identify processes and threads. They are
// the same on every Windows.
const (
	titleElapsedTime = 684 // raw: when the process or thread began
	titleIDProcess   = 784
	titleIDThread    = 804
)

// ByPID is a rule that names processes by their process id and threads by the
// ids of process and thread: 1234 and 1234/5678. Totals keep their names.
func ByPID() NameRule {
	return NameRule{Name: func(o frame.Object, i int) (string, bool) {
		id, ok := instanceID(o, i)
		return id, ok
	}}
}

// ByNameAndPID is a rule like ByPID that puts the name before the ids:
// editor:1234 and editor:1234/5678.
func ByNameAndPID() NameRule {
	return NameRule{Name: func(o frame.Object, i int) (string, bool) {
		id, ok := instanceID(o, i)
		if !ok {
			return "", false
		}
		in := o.Instance(i)
		name := in.Name()
		if parent, ok := in.Parent(); ok {
			name = parent.Name()
		}
		return name + ":" + id, true
	}}
}

// instanceID is the process id, or process and thread id, of an instance of an
// object that has them.
func instanceID(o frame.Object, i int) (string, bool) {
	pid, ok := rawOf(o, i, titleIDProcess)
	if !ok || o.Single() || pid == 0 && frame.IsTotal(o.Instance(i).Name()) { // a process may have that name
		return "", false
	}
	id := strconv.FormatUint(pid, 10)
	if tid, ok := rawOf(o, i, titleIDThread); ok {
		id += "/" + strconv.FormatUint(tid, 10)
	} else if _, thread := o.FindCounter(winperf.CounterID{Index: titleIDThread}); thread {
		return "", false // a process id alone does not name a thread
	}
	return id, true
}

// hasKeys reports whether instances of an object may have keys.
func hasKeys(o frame.Object) bool {
	_, known := o.FindCounter(winperf.CounterID{Index: titleElapsedTime})
	return known
}

// instanceKey is what Series.Key says of an instance.
func instanceKey(o frame.Object, i int) string {
	id, ok := instanceID(o, i)
	start, began := rawOf(o, i, titleElapsedTime)
	if !ok || !began {
		return ""
	}
	return id + "@" + strconv.FormatUint(start, 10)
}

// rawOf is the raw value of the counter with a title index.
func rawOf(o frame.Object, i int, title uint32) (uint64, bool) {
	k, ok := o.FindCounter(winperf.CounterID{Index: title})
	if !ok {
		return 0, false
	}
	return o.Raw(i, k)
}

// naming is what readings call the instances of an object. Without a rule for
// the object that is what the source calls them.
type naming struct {
	labels *frame.Labels
	given  []string // by a rule, "" = none; nil = no rule
	number []int    // among those with the same name, where given is not nil
}

// full is the name that instance i has in paths, and its number among those of
// the same name.
func (n *naming) full(i int) (string, int) {
	switch {
	case n.given == nil:
		return n.labels.Full(i), n.labels.Occurrence(i)
	case n.given[i] == "":
		return n.labels.Full(i), n.number[i]
	}
	return n.given[i], n.number[i]
}

// keep sets at[i] to -1 where instance i does not have the name and number that the one
// at position at[i] had before.
func (n *naming) keep(was *naming, at []int32) {
	if n.given == nil && was.given == nil {
		n.labels.Keep(was.labels, at)
		return
	}
	for i, j := range at {
		if j < 0 || int(j) >= was.labels.Len() {
			at[i] = -1
			continue
		}
		name, number := n.full(i)
		if older, k := was.full(int(j)); older != name || k != number {
			at[i] = -1
		}
	}
}

// spelled is the name with its number, as paths spell it.
func (n *naming) spelled(i int) string {
	name, number := n.full(i)
	if number == 0 {
		return name
	}
	return name + "#" + strconv.Itoa(number)
}

// addTo tells what the instances are called, under either name.
func (n *naming) addTo(find *selection.Finder) {
	for i := range n.labels.Len() {
		find.Add(i, n.labels.Full(i), n.labels.Occurrence(i))
		if n.given != nil && n.given[i] != "" {
			find.Add(i, n.given[i], n.number[i])
		}
	}
}

// nameRule is a NameRule ready to be compared with objects.
type nameRule struct {
	NameRule
	object selection.Name
}

func newNameRules(rules []NameRule) []nameRule {
	var all []nameRule
	for _, r := range rules {
		if r.Object == "" {
			r.Object = "*"
		}
		all = append(all, nameRule{r, selection.NewName(r.Object)})
	}
	return all
}

// naming finds out what the rules call the instances of the planner's object, and numbers
// those that share a name. It has no names where no rule is about the object. An instance
// keeps the name that it had in the frame before (see givenName).
func (b *planner) naming() naming {
	n := naming{labels: b.labels}
	if b.object.Single() {
		return n
	}

	rules := b.rules()
	if len(rules) == 0 {
		return n
	}

	n.given = make([]string, b.labels.Len())
	n.number = make([]int, b.labels.Len())
	count := map[string]int{} // instances so far, by name
	for i := range n.given {
		n.given[i] = b.givenName(rules, i)
		name := n.given[i]
		if name == "" {
			name = n.labels.Full(i) // no rule names it: the source's name stays
		}

		n.number[i] = count[name]
		count[name]++
	}
	return n
}

// rules are those about the object.
func (b *planner) rules() []nameRule {
	var rules []nameRule
	title := b.object.ID().Index
	for _, r := range b.plan.rules {
		if r.object.Is(title, "") {
			rules = append(rules, r)
		}
	}
	return rules
}

// givenName is the name by the first rule that has one for the instance.
func (b *planner) givenName(rules []nameRule, i int) string {
	if j := b.from(i); j >= 0 && b.old != nil && b.old.wanted && j < len(b.old.naming.given) {
		if name := b.old.naming.given[j]; name != "" {
			return name
		}
	}
	for _, r := range rules {
		if name, ok := r.Name(b.object, i); ok && name != "" {
			return name
		}
	}
	return ""
}
