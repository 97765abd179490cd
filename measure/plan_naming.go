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

// NameRule renames the instances of an object. An instance keeps its new name as long as it exists.
// Paths can use the source's name or the new name.
type NameRule struct {
	// Object is the name of the object, as in a path, with wildcards; "" means every object.
	Object string
	// Name returns the name of instance i of o; ok is false if the rule has no name for it.
	// Instances with equal names get numbers (#1), as in all paths.
	Name func(o frame.Object, i int) (name string, ok bool)
}

// ByPID returns a rule that names a process by its process id (1234) and a thread by its process
// and thread ids (1234/5678). Totals (_Total) keep their names.
func ByPID() NameRule {
	return NameRule{Name: func(o frame.Object, i int) (string, bool) {
		id, ok := instanceID(o, i)
		return id, ok
	}}
}

// ByNameAndPID returns a rule like ByPID, with the process name before the ids: editor:1234 and
// editor:1234/5678.
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

// ParseNaming returns the rules of a word: ByPID for "pid", ByNameAndPID for "name:pid", no rules for
// "name" and "". Other words are an error.
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

// OwnInstance replaces the instance "self" of the object Process by a pattern for this process, and of
// the object Thread by a pattern for all its threads. It returns other instances unchanged. naming is a
// word of ParseNaming; to replace "self", it must be "pid" or "name:pid".
func OwnInstance(object, instance, naming string) (string, error) {
	thread := strings.EqualFold(object, "Thread")
	if !strings.EqualFold(instance, "self") || !thread && !strings.EqualFold(object, "Process") {
		return instance, nil
	}

	self := strconv.Itoa(os.Getpid())
	switch naming {
	case "pid":
	case "name:pid":
		self = "*:" + self
	default:
		const form = "%s(%s): self needs process ids in instance names; set names to pid or name:pid"
		return instance, fmt.Errorf(form, object, instance)
	}
	if thread {
		self += "/*"
	}
	return self, nil
}

// instanceID returns the process id, or process and thread id, of an instance; ok is false for
// objects without ids and for totals.
func instanceID(o frame.Object, i int) (string, bool) {
	pid, ok := rawOf(o, i, titles.IDProcess)
	if !ok || o.Single() || pid == 0 && frame.IsTotal(o.Instance(i).Name()) {
		return "", false
	}
	id := strconv.FormatUint(pid, 10)
	if tid, ok := rawOf(o, i, titles.IDThread); ok {
		id += "/" + strconv.FormatUint(tid, 10)
	} else if _, thread := o.FindCounter(winperf.CounterID{Index: titles.IDThread}); thread {
		return "", false // a process id alone does not identify a thread
	}
	return id, true
}

func hasKeys(o frame.Object) bool {
	_, known := o.FindCounter(winperf.CounterID{Index: titles.ElapsedTime})
	return known
}

func instanceKey(o frame.Object, i int) string {
	id, ok := instanceID(o, i)
	start, began := rawOf(o, i, titles.ElapsedTime)
	if !ok || !began {
		return ""
	}
	return id + "@" + strconv.FormatUint(start, 10)
}

// rawOf returns the raw value of the counter with this title index.
func rawOf(o frame.Object, i int, title uint32) (uint64, bool) {
	k, ok := o.FindCounter(winperf.CounterID{Index: title})
	if !ok {
		return 0, false
	}
	return o.Raw(i, k)
}

type naming struct {
	labels *frame.Labels
	kept   nameList // earlier names by the source, of instances that a path named
	ruled  nameList
}

// nameList holds names of instances, "" for none, and their numbers among equal names. Both slices
// are nil if no instance has a name.
type nameList struct {
	name   []string
	number []int
}

// numberNames returns the names of n instances, numbered. An instance without a given name has the
// other one. The comparison ignores case, as in frame.Labels.
func numberNames(n int, named, other func(i int) string) nameList {
	g := nameList{make([]string, n), make([]int, n)}
	count := map[string]int{}
	for i := range n {
		g.name[i] = named(i)
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

// source returns the name without rules, and its number among equal names.
func (n *naming) source(i int) (string, int) {
	switch {
	case n.kept.name == nil:
		return n.labels.Full(i), n.labels.Occurrence(i)
	case n.kept.name[i] == "":
		return n.labels.Full(i), n.kept.number[i]
	}
	return n.kept.name[i], n.kept.number[i]
}

// full returns the name in paths, and its number among equal names.
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

func (n *naming) plain() bool { return n.kept.name == nil && n.ruled.name == nil }

// keep sets at[i] to -1 if name or number of instance i differ from name or number in was at
// position at[i].
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

func (n *naming) spelled(i int) string {
	name, number := n.full(i)
	if number == 0 {
		return name
	}
	return name + "#" + strconv.Itoa(number)
}

func (n *naming) addTo(find *selection.Finder) {
	for i := range n.labels.Len() {
		name, number := n.source(i)
		find.Add(i, name, number)
		if n.ruled.name != nil && n.ruled.name[i] != "" {
			find.Add(i, n.ruled.name[i], n.ruled.number[i])
		}
	}
}

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

// naming names the object's instances. An instance keeps its earlier name by a rule or a path.
func (b *planner) naming() naming {
	n := naming{labels: b.labels}
	if b.object.Single() {
		return n
	}
	if b.keepsNames() {
		n.kept = numberNames(b.labels.Len(), b.keptName, b.labels.Full)
	}

	if rules := b.rules(); len(rules) > 0 {
		named := func(i int) string { return b.configuredName(rules, i) }
		other := func(i int) string {
			name, _ := n.source(i)
			return name
		}
		n.ruled = numberNames(b.labels.Len(), named, other)
	}
	return n
}

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

// keepsNames reports whether an instance keeps a name that the source changed.
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

// wasNamed returns the previous naming and the position of instance i there, or -1.
func (b *planner) wasNamed(i int) (was *naming, j int) {
	if b.old == nil || !b.old.requested {
		return nil, -1
	}
	was = &b.old.naming
	if j = b.from(i); j >= was.labels.Len() {
		j = -1
	}
	return was, j
}

// keptName returns the name by which a path found the instance, if the source has renamed it since;
// else "".
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

// configuredName returns the instance's earlier name by a rule, else the name of the first rule that has
// one.
func (b *planner) configuredName(rules []nameRule, i int) string {
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
