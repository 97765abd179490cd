package measure

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/titles"
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

// ParseNaming returns the rules of a word: "pid" is ByPID, "name:pid" is ByNameAndPID, and
// "name" or "" is no rule.
func ParseNaming(word string) ([]NameRule, error) {
	switch word {
	case "", "name":
		return nil, nil
	case "pid":
		return []NameRule{ByPID()}, nil
	case "name:pid":
		return []NameRule{ByNameAndPID()}, nil
	}
	return nil, fmt.Errorf("names %q: expected pid, name:pid or name", word)
}

// OwnInstance returns what to call the process of this program in a path, where instances are
// named by a word that ParseNaming takes. It does so for the instance "self" of the object Process
// and, for all of its threads, of Thread. Any other instance is returned as it is. Without ids in
// names nothing would tell the process from others, which is an error.
func OwnInstance(object, instance, naming string) (string, error) {
	thread := strings.EqualFold(object, "Thread")
	if !strings.EqualFold(instance, "self") || !thread && !strings.EqualFold(object, "Process") {
		return instance, nil
	}

	own := strconv.Itoa(os.Getpid())
	switch naming {
	case "pid":
	case "name:pid":
		own = "*:" + own
	default:
		const form = "%s(%s): the process itself is known by its id; it needs names: pid or name:pid"
		return instance, fmt.Errorf(form, object, instance)
	}
	if thread {
		own += "/*"
	}
	return own, nil
}

// instanceID is the process id, or process and thread id, of an instance of an
// object that has them.
func instanceID(o frame.Object, i int) (string, bool) {
	pid, ok := rawOf(o, i, titles.IDProcess)
	if !ok || o.Single() || pid == 0 && frame.IsTotal(o.Instance(i).Name()) { // a process may have that name
		return "", false
	}
	id := strconv.FormatUint(pid, 10)
	if tid, ok := rawOf(o, i, titles.IDThread); ok {
		id += "/" + strconv.FormatUint(tid, 10)
	} else if _, thread := o.FindCounter(winperf.CounterID{Index: titles.IDThread}); thread {
		return "", false // a process id alone does not name a thread
	}
	return id, true
}

// hasKeys reports whether instances of an object may have keys.
func hasKeys(o frame.Object) bool {
	_, known := o.FindCounter(winperf.CounterID{Index: titles.ElapsedTime})
	return known
}

// instanceKey is what Series.Key says of an instance.
func instanceKey(o frame.Object, i int) string {
	id, ok := instanceID(o, i)
	start, began := rawOf(o, i, titles.ElapsedTime)
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

// naming is what readings call the instances of an object: what a rule calls them, or the
// source.
type naming struct {
	labels *frame.Labels
	kept   givenNames // what the source called instances when a path named them
	ruled  givenNames // by rules
}

// givenNames are names that instances were given, "" = none, and numbers among those of the
// same name; both are nil where none has one.
type givenNames struct {
	name   []string
	number []int
}

// numberNames numbers the names of n instances; those that were given none have another.
// Names that differ in case only are equal, as frame.Labels has it.
func numberNames(n int, given, other func(i int) string) givenNames {
	g := givenNames{make([]string, n), make([]int, n)}
	count := map[string]int{} // instances so far, by name
	for i := range n {
		g.name[i] = given(i)
		name := g.name[i]
		if name == "" {
			name = other(i)
		}

		name = strings.ToLower(name)
		g.number[i] = count[name]
		count[name]++
	}
	return g
}

// source is the name of instance i without rules, and its number among those of the same name.
func (n *naming) source(i int) (string, int) {
	switch {
	case n.kept.name == nil:
		return n.labels.Full(i), n.labels.Occurrence(i)
	case n.kept.name[i] == "":
		return n.labels.Full(i), n.kept.number[i]
	}
	return n.kept.name[i], n.kept.number[i]
}

// full is the name that instance i has in paths, and its number among those of
// the same name.
func (n *naming) full(i int) (string, int) {
	switch {
	case n.ruled.name == nil:
		return n.source(i)
	case n.ruled.name[i] == "":
		name, _ := n.source(i)
		return name, n.ruled.number[i]
	}
	return n.ruled.name[i], n.ruled.number[i]
}

// plain reports whether all have the names that the source uses now.
func (n *naming) plain() bool { return n.kept.name == nil && n.ruled.name == nil }

// keep sets at[i] to -1 where instance i does not have the name and number that the one
// at position at[i] had before.
func (n *naming) keep(was *naming, at []int32) {
	if n.plain() && was.plain() {
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
		name, number := n.source(i)
		find.Add(i, name, number)
		if n.ruled.name != nil && n.ruled.name[i] != "" {
			find.Add(i, n.ruled.name[i], n.ruled.number[i])
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

// naming finds out what the instances of the planner's object are called. One that goes on
// keeps the name that a rule gave it, or that a path named it by.
func (b *planner) naming() naming {
	n := naming{labels: b.labels}
	if b.object.Single() {
		return n
	}
	if b.keepsNames() {
		n.kept = numberNames(b.labels.Len(), b.keptName, b.labels.Full)
	}

	if rules := b.rules(); len(rules) > 0 {
		given := func(i int) string { return b.givenName(rules, i) }
		other := func(i int) string {
			name, _ := n.source(i)
			return name
		}
		n.ruled = numberNames(b.labels.Len(), given, other)
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

// keepsNames reports whether an instance keeps a name that the source may not use any more.
// Where every path is about all instances none does.
func (b *planner) keepsNames() bool {
	if len(b.byName) == 0 {
		return false
	}
	for i := range b.labels.Len() {
		if b.keptName(i) != "" {
			return true
		}
	}
	return false
}

// wasNamed is the naming of the frame before, and where instance i stood there; -1 is nowhere.
func (b *planner) wasNamed(i int) (was *naming, j int) {
	if b.old == nil || !b.old.wanted {
		return nil, -1
	}
	was = &b.old.naming
	if j = b.from(i); j >= was.labels.Len() {
		j = -1
	}
	return was, j
}

// keptName is the name that stays with an instance as long as it lives, though the source
// calls it otherwise now: the one that a path named it by. "" is none.
func (b *planner) keptName(i int) string {
	was, j := b.wasNamed(i)
	if j < 0 {
		return ""
	}
	name, number := was.source(j)
	named := func(p *selection.Path) bool { return p.Instance(name, number) }
	switch {
	case was.kept.name != nil && was.kept.name[j] != "":
		return name
	case name != b.labels.Full(i) && slices.ContainsFunc(b.byName, named):
		return name
	}
	return ""
}

// givenName is the name that a rule gave the instance when it came, or that the first rule
// gives it that has one.
func (b *planner) givenName(rules []nameRule, i int) string {
	if was, j := b.wasNamed(i); j >= 0 && was.ruled.name != nil && was.ruled.name[j] != "" {
		return was.ruled.name[j]
	}
	for _, r := range rules {
		if name, ok := r.Name(b.object, i); ok && name != "" {
			return name
		}
	}
	return ""
}
