package frame_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// thing is what an instance stands for: it stays the same one while it moves, is
// called otherwise, or its counts grow and fall.
type thing struct {
	name            string // "" = none
	unique          int32  // unique id, -1 = none
	parent          *thing // nil = none
	pid, tid, start uint64
	count           uint64
}

// field is a counter of a model's object.
type field struct {
	title uint32
	typ   string
	value func(*thing) uint64
}

var (
	fieldPID   = field{784, "PERF_COUNTER_RAWCOUNT", func(t *thing) uint64 { return t.pid }}
	fieldTID   = field{804, "PERF_COUNTER_RAWCOUNT", func(t *thing) uint64 { return t.tid }}
	fieldStart = field{684, "PERF_ELAPSED_TIME", func(t *thing) uint64 { return t.start }}
	fieldCount = field{28, "PERF_COUNTER_LARGE_DELTA", func(t *thing) uint64 { return t.count }}
	fieldHalf  = field{30, "PERF_COUNTER_LARGE_RAWCOUNT", func(t *thing) uint64 { return t.count / 2 }}
)

// kind is an object of the model.
type kind struct {
	title, parents uint32 // parents is the object of the things' parents, 0 = none
	single         bool
	fields         []field
}

var kinds = []kind{
	{title: 230, fields: []field{fieldPID, fieldStart, fieldCount, fieldHalf}},
	{title: 232, parents: 230, fields: []field{fieldTID, fieldPID, fieldStart, fieldCount}},
	{title: 236, fields: []field{fieldHalf, fieldCount}},
	{title: 510, fields: []field{fieldCount}},                           // with unique ids
	{title: 1500, parents: 236, fields: []field{fieldCount, fieldHalf}}, // known by name below a parent
	{title: 1600, fields: []field{fieldStart, fieldCount}},              // started, but without process id
	{title: 4, single: true, fields: []field{fieldHalf, fieldCount}},
}

// instance is a thing as one sample shows it.
type instance struct {
	thing
	label, parentLabel string
	position           int // of the parent
}

func (in *instance) full() string {
	if in.parentLabel == "" {
		return in.label
	}
	return in.parentLabel + "/" + in.label
}

// object is an object as one sample shows it.
type object struct {
	kind
	things []instance
}

func (o *object) has(f field) bool {
	return slices.ContainsFunc(o.fields, func(g field) bool { return g.title == f.title })
}

// snapshot is a sample: its objects in block order.
type snapshot []*object

func (s snapshot) find(title uint32) *object {
	for _, o := range s {
		if o.title == title {
			return o
		}
	}
	return nil
}

// model is a machine over time whose things come, go, move and are mistaken for
// each other.
type model struct {
	rand   *rand.Rand
	things map[uint32][]*thing
	last   uint64 // the highest number that was given out
}

func newModel(seed uint64, size int) *model {
	m := &model{rand: rand.New(rand.NewPCG(seed, 1)), things: map[uint32][]*thing{}}
	for _, k := range kinds {
		n := 1
		if !k.single {
			n = m.rand.IntN(size)
		}
		for range n {
			m.things[k.title] = append(m.things[k.title], m.fresh(&k))
		}
	}
	for _, name := range []string{"Idle", "_Total"} {
		zero := &thing{name: name, unique: -1, start: m.next()}
		m.things[230] = slices.Insert(m.things[230], m.rand.IntN(len(m.things[230])+1), zero)
	}
	return m
}

func (m *model) next() uint64 {
	m.last += 1 + m.rand.Uint64N(3)
	return m.last
}

func (m *model) chance(oneIn int) bool { return m.rand.IntN(oneIn) == 0 }

func (m *model) name() string {
	names := [...]string{"a", "b", "c", "A", "_Total", "0,_Total", "x_Total", "", "10", "svchost", "svchost"}
	return names[m.rand.IntN(len(names))]
}

// fresh is a thing that was not there before. Names and unique ids are few, so
// that they repeat.
func (m *model) fresh(k *kind) *thing {
	t := &thing{name: m.name(), unique: -1, pid: m.next(), tid: m.next(), start: m.next()}
	t.count = m.rand.Uint64N(1000)
	if m.chance(6) {
		t.start = 0
	}
	if k.title == 510 && !m.chance(4) {
		t.unique = int32(m.rand.IntN(40))
	}
	if above := m.things[k.parents]; k.parents != 0 && len(above) > 0 {
		t.parent = above[m.rand.IntN(len(above))]
		t.pid = t.parent.pid
	}
	if k.single {
		t.name = ""
	}
	return t
}

// pass lets time pass: everything counts on, and some things change.
func (m *model) pass() {
	for i := range kinds {
		k := &kinds[i]
		for _, t := range m.things[k.title] {
			t.count += m.rand.Uint64N(100)
		}
		for range m.rand.IntN(4) {
			if !k.single {
				m.things[k.title] = m.change(k, m.things[k.title])
			}
		}
	}
}

// change is one event in an object's list.
func (m *model) change(k *kind, list []*thing) []*thing {
	at := m.rand.IntN(len(list) + 1)
	if len(list) == 0 || m.chance(4) {
		return slices.Insert(list, at, m.fresh(k))
	}
	at = min(at, len(list)-1)
	t := list[at]
	switch m.rand.IntN(7) {
	case 0: // some leave that are together
		end := min(len(list), at+1+m.rand.IntN(3))
		if m.chance(3) {
			end = at + m.rand.IntN(len(list)-at+1)
		}
		return slices.Delete(list, at, end)
	case 1:
		other := m.rand.IntN(len(list))
		list[at], list[other] = list[other], list[at]
	case 2:
		slices.Reverse(list[at:])
	case 3: // another takes its place, its name and now and then its numbers
		n := m.fresh(k)
		n.name, n.parent = t.name, t.parent
		if m.chance(2) {
			n.pid, n.tid, n.unique = t.pid, t.tid, t.unique
		}
		list[at] = n
	case 4:
		if t.pid != 0 { // what has no process id is known by its name
			t.name = m.name()
		}
	case 5:
		t.start = 0
	case 6:
		t.count /= 2
	}
	return list
}

// snapshot writes down what there is. Objects are in any order and may be left
// out, and so may definitions.
func (m *model) snapshot() snapshot {
	var s snapshot
	order := m.rand.Perm(len(kinds))
	if m.chance(2) {
		slices.Sort(order)
	}
	for _, n := range order {
		if m.chance(12) {
			continue
		}
		o := &object{kind: kinds[n]}
		o.fields = slices.Clone(o.fields)
		if m.chance(6) {
			m.rand.Shuffle(len(o.fields), func(i, j int) { o.fields[i], o.fields[j] = o.fields[j], o.fields[i] })
		}
		if left := m.rand.IntN(len(o.fields)); m.chance(8) && o.fields[left].title != fieldCount.title {
			o.fields = slices.Delete(o.fields, left, left+1)
		}
		for i, t := range m.things[o.title] {
			o.things = append(o.things, instance{thing: *t, label: label(t, i), position: 1 << 20})
		}
		s = append(s, o)
	}
	for _, o := range s {
		m.place(o, s.find(o.parents))
	}
	return s
}

// label is what a thing is called at a position: one without a name by its
// unique id, one without that by its position.
func label(t *thing, position int) string {
	switch {
	case t.name != "":
		return t.name
	case t.unique >= 0:
		return strconv.Itoa(int(t.unique))
	}
	return strconv.Itoa(position)
}

// place finds the parents of an object's things in the sample.
func (m *model) place(o, parents *object) {
	for i := range o.things {
		in := &o.things[i]
		at := slices.Index(m.things[o.parents], in.parent)
		if in.parent == nil || at < 0 {
			continue
		}
		in.position = at
		if parents != nil {
			in.parentLabel = parents.things[at].label
		}
	}
}

// text is the text form of the block that shows the snapshot at a second.
func (s snapshot) text(second int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "block perftime=%d perffreq=1 time100ns=%d0000000\n", second, 13_350_000_000+int64(second))
	for _, o := range s {
		form := "multiple"
		if o.single {
			form = "single"
		}
		fmt.Fprintf(&b, "object %d form=%s\n", o.title, form)
		for _, f := range o.fields {
			fmt.Fprintf(&b, " counter %d %s\n", f.title, f.typ)
		}
		for i := range o.things {
			o.line(&b, &o.things[i])
		}
	}
	return b.String()
}

func (o *object) line(b *strings.Builder, in *instance) {
	switch {
	case o.single:
		b.WriteString(" values")
	case in.name == "":
		b.WriteString(" instance -")
	default:
		fmt.Fprintf(b, " instance %q", in.name)
	}
	if in.parent != nil {
		fmt.Fprintf(b, " parent=%d position=%d", o.parents, in.position)
	}
	if in.unique >= 0 {
		fmt.Fprintf(b, " id=%d", in.unique)
	}
	b.WriteString(" :")
	for _, f := range o.fields {
		fmt.Fprintf(b, " %d", f.value(&in.thing))
	}
	b.WriteString("\n")
}

// wantFrom says for each thing of the newer object which one of the older object
// it is, by the rules of identity in their plainest form: the first one that is
// the same and not taken. Its words are those of matches.
func wantFrom(older, newer *object) (from []int, words []string) {
	same, taken := rule(older, newer), map[int]bool{}
	for i := range newer.things {
		at, word := -1, "new"
		for j := 0; older != nil && j < len(older.things) && at < 0; j++ {
			if taken[j] {
				continue
			}
			match := same(&older.things[j], &newer.things[i])
			if match == counter.Unmatched {
				continue
			}
			taken[j] = true
			if refuted(older, newer, &older.things[j], &newer.things[i], match) {
				break
			}
			at, word = j, fmt.Sprint(j, " ", matchWords[match])
		}
		from, words = append(from, at), append(words, word)
	}
	return from, words
}

// refuted reports whether the values of two things that are the same by name
// tell that they are not.
func refuted(older, newer *object, a, b *instance, match counter.Match) bool {
	if match == counter.Aggregate {
		return false
	}
	restarted := older.has(fieldStart) && newer.has(fieldStart) && a.start != b.start
	return restarted || match == counter.Unverified && b.count < a.count
}

// rule is the one by which things of two objects are known: it says how well one
// of the older object is known to be one of the newer object.
func rule(older, newer *object) func(a, b *instance) counter.Match {
	threads := newer.has(fieldTID)
	switch {
	case older == nil:
		return nil
	case newer.single:
		return func(_, _ *instance) counter.Match { return counter.Verified }
	case newer.has(fieldPID) && newer.has(fieldStart) && older.has(fieldPID) && older.has(fieldStart) &&
		(!threads || older.has(fieldTID)):
		return func(a, b *instance) counter.Match { return sameStart(a, b, threads) }
	}
	alike := alikeByName
	if idsTell(older, newer) {
		alike = alikeByID
	}
	return func(a, b *instance) counter.Match { return sameName(older, newer, a, b, alike) }
}

// sameStart knows things by their process id, thread id and start. Those without
// a process id or a start must have the same name, too.
func sameStart(a, b *instance, threads bool) counter.Match {
	numbered := a.pid != 0 && a.start != 0 && b.start != 0
	switch {
	case a.pid != b.pid, threads && a.tid != b.tid:
		return counter.Unmatched
	case numbered && a.start == b.start:
		return counter.Verified
	case numbered, a.label != b.label:
		return counter.Unmatched
	case isTotal(b.label) && b.pid == 0: // a process may be called like a total
		return counter.Aggregate
	case a.start != b.start:
		return counter.Unmatched
	case a.start == 0:
		return counter.Unverified
	}
	return counter.Verified
}

// sameName knows things that are alike; surely only where no other is.
func sameName(older, newer *object, a, b *instance, alike func(a, b *instance) bool) counter.Match {
	switch {
	case !alike(a, b):
		return counter.Unmatched
	case isTotal(b.label):
		return counter.Aggregate
	case count(older, b, alike) == 1 && count(newer, b, alike) == 1:
		return counter.Verified
	}
	return counter.Unverified
}

func alikeByName(a, b *instance) bool { return a.label == b.label && a.parentLabel == b.parentLabel }

// alikeByID knows things by unique id and those without one by name.
func alikeByID(a, b *instance) bool {
	return a.unique == b.unique && (a.unique >= 0 || alikeByName(a, b))
}

// idsTell reports whether no unique id of the older object stands for several.
func idsTell(older, newer *object) bool {
	for i := range older.things {
		a := &older.things[i]
		if a.unique >= 0 && (count(older, a, alikeByID) > 1 || count(newer, a, alikeByID) > 1) {
			return false
		}
	}
	return true
}

func count(o *object, in *instance, alike func(a, b *instance) bool) (n int) {
	for i := range o.things {
		if alike(&o.things[i], in) {
			n++
		}
	}
	return n
}

func isTotal(name string) bool { return name == "_Total" || name == "0,_Total" }

// shot is a snapshot and the frame of it.
type shot struct {
	snapshot
	frame.Frame
}

// TestReference compares what instances are called, which they were, and which
// values they get with a reference that is slow and plain, while everything
// comes, goes and moves that can.
func TestReference(t *testing.T) {
	for size, models := range map[int]uint64{6: 200, 30: 30, 300: 2} {
		for seed := range models {
			t.Run(fmt.Sprint(size, "/", seed), func(t *testing.T) { follow(t, newModel(seed, size)) })
		}
	}
}

// follow cooks samples of a model one after the other with one Cooker: mostly
// against the one before, now and then against an earlier one or none.
func follow(t *testing.T, m *model) {
	var pool, parts frame.Pool
	var q taker
	var ck, other frame.Cooker
	last, kept := shot{}, []shot{{}}
	for second := range 12 {
		s := m.snapshot()
		before := last
		if m.chance(2) {
			before = kept[m.rand.IntN(len(kept))]
		}
		q.shared = m.chance(3)
		f := q.take(t, &pool, block(t, s.text(second)), before.Frame)
		cur := shot{s, f}
		if m.chance(4) {
			cur = m.parted(t, &parts, cur)
		}
		prev := last
		if m.chance(5) {
			prev = kept[m.rand.IntN(len(kept))]
		}

		must(t, ck.Set(prev.Frame, cur.Frame, counter.Options{}))
		if q.shared {
			must(t, other.Set(prev.Frame, cur.Frame, counter.Options{}))
			compare(t, &other, prev, cur)
		}
		compare(t, &ck, prev, cur)
		if t.Failed() {
			t.Fatalf("second %d:\n%s\n%s", second, prev.text(0), cur.text(0))
		}

		last = cur
		if m.chance(3) { // the memory of the others serves later samples
			if err := cur.Keep(); err != nil {
				t.Fatal(err)
			}
			kept = append(kept, cur)
		}
		m.pass()
	}
}

// parted is the shot with its objects in another order, some left out, each in a part
// of its own.
func (m *model) parted(t *testing.T, pool *frame.Pool, s shot) shot {
	t.Helper()
	var some snapshot
	var pieces []piece
	for _, n := range m.rand.Perm(len(s.snapshot)) {
		if !m.chance(6) {
			some, pieces = append(some, s.snapshot[n]), append(pieces, piece{s.Frame, []uint32{s.snapshot[n].title}})
		}
	}
	f := join(t, pool, frame.Frame{}, pieces...)
	return shot{some, f}
}

// compare checks every object of a frame against the reference.
func compare(t *testing.T, ck *frame.Cooker, prev, cur shot) {
	t.Helper()
	if cur.NumObjects() != len(cur.snapshot) {
		t.Fatalf("%d objects, want %d", cur.NumObjects(), len(cur.snapshot))
	}
	for n, newer := range cur.snapshot {
		o := cur.Object(n)
		p, older := ck.Object(o), prev.find(newer.title)
		expect(t, newer, "names", newer.names(), called(o))
		from, words := wantFrom(older, newer)
		expect(t, newer, "from", words, matches(p))
		k := slices.IndexFunc(newer.fields, func(f field) bool { return f.title == fieldCount.title })
		column := p.Column(k)
		values, fell := wantValues(older, newer, from)
		expect(t, newer, "values", values, shown(&column))
		if column.Fell != slices.Contains(fell, true) {
			t.Errorf("object %d: the column fell: %v", newer.title, column.Fell)
		}
		for i, want := range fell {
			if got := p.Fell(i, k); got != want {
				t.Errorf("object %d: instance %d fell: %v", newer.title, i, got)
			}
		}
		checkCook(t, p, len(newer.fields), k, shown(&column))
	}
}

// expect compares what an object's instances are said to be.
func expect(t *testing.T, o *object, what string, want, got []string) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Errorf("object %d: %s (-want +got):\n%s", o.title, what, cmp.Diff(want, got))
	}
}

// names are the full names with their numbers; case does not tell names apart.
func (o *object) names() (all []string) {
	seen := map[string]int{}
	for i := range o.things {
		full := o.things[i].full()
		if o.single {
			full = ""
		}
		all = append(all, fmt.Sprint(full, "#", seen[strings.ToLower(full)]))
		seen[strings.ToLower(full)]++
	}
	return all
}

func called(o frame.Object) (all []string) {
	for in := range o.Instances() {
		all = append(all, fmt.Sprint(in.Full(), "#", in.Occurrence()))
	}
	return all
}

// wantValues says what fieldCount grew by since the older sample, as shown says
// it, and whether it fell.
func wantValues(older, newer *object, from []int) (values []string, fell []bool) {
	for i, j := range from {
		status, value, down := counter.NoPrevious, counter.Value{}, false
		if j >= 0 {
			was, is := older.things[j].count, newer.things[i].count
			down = is < was
			status, value = counter.OK, counter.Int(is-was)
			if down {
				status, value = counter.NegativeValue, counter.Value{}
			}
		}
		values, fell = append(values, fmt.Sprint(status, value)), append(fell, down)
	}
	return values, fell
}
