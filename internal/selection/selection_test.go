package selection_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// tables are those of a German machine, which has French names of some things, too.
func tables(t testing.TB) *nametable.Names {
	t.Helper()
	s := &winperf.Schema{}
	for _, l := range []struct {
		language string
		texts    map[uint32]string
	}{
		{"007", map[uint32]string{230: "Prozess", 6: "Prozessorzeit (%)", 10: "Gleich", 12: "Gleich"}},
		{"009", map[uint32]string{230: "Process", 6: "% Processor Time", 500: "Costly One"}},
		{"00C", map[uint32]string{230: "Processus", 700: "Seulement"}},
	} {
		table, err := nametable.FromMap(nametable.Mixed, l.texts)
		if err != nil {
			t.Fatal(err)
		}
		s.Names = append(s.Names, table.NameTable(l.language))
	}
	names, damage := nametable.FromSchema(s)
	if len(damage) > 0 {
		t.Fatal(damage)
	}
	return names
}

func TestName(t *testing.T) {
	names := tables(t)
	for _, tt := range []struct {
		text  string
		title uint32
		name  string // "" asks the tables
		want  bool
	}{
		// Every language, in either case.
		{"Prozess", 230, "", true}, {"process", 230, "", true}, {"PROCESSUS", 230, "", true},
		{"Process", 6, "", false}, {"Nobody", 230, "", false}, {"", 230, "", false},
		// One name of several titles means each of them.
		{"Gleich", 10, "", true}, {"Gleich", 12, "", true},
		// Patterns too.
		{"Proz*", 230, "", true}, {"*cess", 230, "", true}, {"*ssus", 230, "", true}, {"?rocess", 230, "", true},
		{"x*", 230, "", false}, {"*", 4711, "", true}, {"seul*", 700, "", true},
		// Title indices.
		{"#230", 230, "", true}, {"#0230", 230, "", true}, {"#230", 6, "", false},
		{"#", 230, "", false}, {"#x", 230, "", false},
		{"#4711", 4711, "", true}, {"#47*", 4711, "", true}, {"#2*", 230, "", false},
		// What has one name and no tables.
		{"process", 0, "Process", true}, {"Pro*", 0, "Process", true}, {"Prozess", 0, "Process", false},
		{"Prozess", 230, "Process", false}, {"#230", 230, "Process", true}, {"#0230", 230, "Process", true},
		{"#0", 0, "Process", false}, {"#230", 0, "#230", true},
	} {
		n := selection.NewName(tt.text)
		n.Resolve(selection.NewTables(names))
		if got := n.Is(tt.title, tt.name); got != tt.want {
			t.Errorf("%q is %d %q: %v, want %v", tt.text, tt.title, tt.name, got, tt.want)
		}
		if tt.name == "" {
			continue
		}
		if n := selection.NewName(tt.text); n.Is(tt.title, tt.name) != tt.want {
			t.Errorf("%q, which was not looked up, is %d %q: %v", tt.text, tt.title, tt.name, !tt.want)
		}
	}
}

// TestShown: patterns stand for what is shown and for English names only, names in full for
// those of every language.
func TestShown(t *testing.T) {
	french := tables(t).In("00C")
	for _, tt := range []struct {
		text  string
		title uint32
		want  bool
	}{
		{"*ssus", 230, true}, {"*cess", 230, true}, {"proz*", 230, false}, {"prozess", 230, true},
		{"seul*", 700, true}, {"costly*", 500, true}, {"gl*", 10, true}, {"#7*", 700, false}, {"#9*", 900, true},
	} {
		n := selection.NewName(tt.text)
		n.Resolve(selection.ShownTables(french))
		if got := n.Is(tt.title, ""); got != tt.want {
			t.Errorf("%q is %d: %v, want %v", tt.text, tt.title, got, tt.want)
		}
	}
}

func TestNameForms(t *testing.T) {
	names := tables(t)
	for _, tt := range []struct {
		text                           string
		wildcard, everything, byNumber bool
		titles                         []uint32
	}{
		{"process", false, false, false, []uint32{230}},
		{"gleich", false, false, false, []uint32{10, 12}},
		{"#6", false, false, true, []uint32{6}},
		{"nobody", false, false, false, nil},
		{"", false, false, false, nil},
		{"*", true, true, false, nil},
		{"***", true, true, false, nil},
		{"P*", true, false, false, nil},
		{"#*", true, false, false, nil},
		{"#4294967296", false, false, false, nil},
		{"#0", false, false, false, []uint32{0}},
		{"?", true, false, false, nil},
	} {
		n := selection.NewName(tt.text)
		n.Resolve(selection.NewTables(names))
		if n.Wildcard() != tt.wildcard || n.Everything() != tt.everything || n.ByTitle() != tt.byNumber ||
			!slices.Equal(n.Titles(), tt.titles) || n.String() != tt.text {
			t.Errorf("%q: wildcard %v, everything %v, by title %v, titles %d",
				tt.text, n.Wildcard(), n.Everything(), n.ByTitle(), n.Titles())
		}
	}
}

func TestParts(t *testing.T) {
	guid := winperf.GUID{1}
	sel := winperf.Selection{
		Paths:   []winperf.Path{path(t, `\Process(a)\*`), path(t, `\*(*)\*`), path(t, `\\host\Costly One\*`)},
		Objects: []winperf.ObjectID{{Index: 500}, {Index: 6, GUID: guid}},
		Global:  true, Costly: true,
	}
	parts := selection.Resolve(sel, tables(t))
	type wants = []selection.Match
	const no, among, full = selection.NoMatch, selection.AmongOthers, selection.InFull
	for _, tt := range []struct {
		object      selection.Object
		wants, asks wants
	}{
		{selection.Object{ID: winperf.ObjectID{Index: 230}},
			wants{full, among, no, no, no, among, no}, wants{full, among, no, no, no, among, no}},
		{selection.Object{ID: winperf.ObjectID{Index: 500}, Costly: true},
			wants{no, among, full, full, no, no, among}, wants{no, no, full, full, no, no, among}},
		{selection.Object{ID: winperf.ObjectID{Index: 7, GUID: guid}},
			wants{no, among, no, no, full, among, no}, wants{no, among, no, no, full, among, no}},
		{selection.Object{ID: winperf.ObjectID{Index: 6, GUID: winperf.GUID{2}}, Name: "Process"},
			wants{full, among, no, no, no, among, no}, wants{full, among, no, no, no, among, no}},
	} {
		var got, asks wants
		for i := range parts {
			got, asks = append(got, parts[i].Selects(tt.object)), append(asks, parts[i].Requests(tt.object))
		}
		if !slices.Equal(got, tt.wants) || !slices.Equal(asks, tt.asks) {
			t.Errorf("%+v: wants %d, want %d; asks %d, want %d", tt.object, got, tt.wants, asks, tt.asks)
		}
	}

	var host, other []bool
	for i := range parts {
		host, other = append(host, parts[i].Machine("HOST")), append(other, parts[i].Machine("other"))
	}
	if all := []bool{true, true, true, true, true, true, true}; !slices.Equal(host, all) {
		t.Errorf("about the host: %v", host)
	}
	if want := []bool{true, true, false, true, true, true, true}; !slices.Equal(other, want) {
		t.Errorf("about another machine: %v, want %v", other, want)
	}
}

// TestSplit: each part is in one half, and both halves have all that is no part.
func TestSplit(t *testing.T) {
	process, pattern := path(t, `\Process(a)\*`), path(t, `\*(*)\*`)
	costly, unknown := path(t, `\\host\Costly One\*`), path(t, `\Other\*`)
	begin := time.Unix(1, 0)
	sel := winperf.Selection{
		Paths:   []winperf.Path{process, pattern, costly, unknown},
		Objects: []winperf.ObjectID{{Index: 500}, {Index: 6}},
		Global:  true, Costly: true, Metadata: true, NamesOnly: true, Begin: begin, End: begin,
	}

	wantRest, wantCostly := sel, sel
	wantRest.Paths, wantCostly.Paths = []winperf.Path{process, pattern, unknown}, []winperf.Path{costly}
	wantRest.Objects, wantCostly.Objects = sel.Objects[1:], sel.Objects[:1]
	wantRest.Costly, wantCostly.Global = false, false
	rest, apart, parts := selection.Split(sel, tables(t), []uint32{500, 501})
	if diff := cmp.Diff([]winperf.Selection{wantRest, wantCostly}, []winperf.Selection{rest, apart}); diff != "" {
		t.Error(diff)
	}
	if want := []bool{false, false, true, false, true, false, false, true}; !slices.Equal(parts, want) {
		t.Errorf("costly parts: %v, want %v", parts, want)
	}

	none, all, _ := selection.Split(winperf.Selection{Costly: true, Metadata: true}, &nametable.Names{}, nil)
	if !selection.IsEmpty(none) || selection.IsEmpty(all) {
		t.Errorf("only costly objects: rest %+v, costly %+v", none, all)
	}
}

// TestAddTo: the parts of a selection make it up again.
func TestAddTo(t *testing.T) {
	sel := winperf.Selection{
		Paths:   []winperf.Path{path(t, `\Host\Process(a#1)\*`), path(t, `\b\c`)},
		Objects: []winperf.ObjectID{{Index: 2}, {}},
		Costly:  true,
	}
	for range 2 {
		var again winperf.Selection
		for _, p := range selection.Parts(sel) {
			p.AddTo(&again)
		}
		if diff := cmp.Diff(sel, again); diff != "" {
			t.Error(diff)
		}
		sel.Global, sel.Costly = true, false
	}
}

// TestZeroObject: an identity that names nothing is not the class of the others, nor all that
// have none either.
func TestZeroObject(t *testing.T) {
	parts := selection.Parts(winperf.Selection{Objects: []winperf.ObjectID{{}}})
	for _, o := range []selection.Object{{}, {ID: winperf.ObjectID{Index: 2}}} {
		if got := parts[0].Selects(o); got != selection.NoMatch {
			t.Errorf("%+v is wanted: %d", o, got)
		}
	}
}

func TestSeries(t *testing.T) {
	for _, tt := range []struct {
		path, of string
		want     counter.Status
	}{
		{`\Process(svc*)\% *`, `\\HOST\Process(svchost#2)\% Processor Time`, counter.OK},
		{`\\host\process(SVCHOST)\% processor time`, `\\HOST\Process(svchost)\% Processor Time`, counter.OK},
		{`\\other\Process(*)\*`, `\\HOST\Process(svchost)\% Processor Time`, counter.NoObject},
		{`\Processes(*)\*`, `\\HOST\Process(svchost)\% Processor Time`, counter.NoObject},
		{`\Process(*)\ID Process`, `\\HOST\Process(svchost)\% Processor Time`, counter.NoCounter},
		{`\Process(svchost)\*`, `\\HOST\Process(svchost#1)\% Processor Time`, counter.NoInstance},
		{`\Process(svchost#*)\*`, `\\HOST\Process(svchost#1)\% Processor Time`, counter.OK},
		{`\Process\*`, `\\HOST\Process(svchost)\% Processor Time`, counter.NoInstance},
		{`\Memory\*`, `\\HOST\Memory\Available Bytes`, counter.OK},
		{`\Memory(*)\*`, `\\HOST\Memory\Available Bytes`, counter.OK},
		{`\Memory()\*`, `\\HOST\Memory\Available Bytes`, counter.OK},
		{`\Memory(a)\*`, `\\HOST\Memory\Available Bytes`, counter.NoInstance},
		{`\Memory(*#1)\*`, `\\HOST\Memory\Available Bytes`, counter.NoInstance},
		{`\#0\#0`, `\\HOST\Memory\Available Bytes`, counter.NoObject},
	} {
		p := selection.NewPath(path(t, tt.path))
		if got := p.Series(winperf.NewSeries(path(t, tt.of))); got != tt.want {
			t.Errorf("%s of %s: %v, want %v", tt.path, tt.of, got, tt.want)
		}
	}
}

// TestSeriesByTitle: a series with title indices goes by all names that the tables have, too.
func TestSeriesByTitle(t *testing.T) {
	s := winperf.NewSeries(path(t, `\\HOST\Prozess(a)\Prozessorzeit (%)`))
	s.ObjectID.Index, s.CounterID.Index = 230, 6
	for _, tt := range []struct {
		path          string
		named, tabled counter.Status
	}{
		{`\Prozess(*)\*`, counter.OK, counter.OK},
		{`\Process(a)\% Processor Time`, counter.NoObject, counter.OK},
		{`\Prozess(a)\% Processor Time`, counter.NoCounter, counter.OK},
		{`\#230(b)\#6`, counter.NoInstance, counter.NoInstance},
	} {
		p := selection.NewPath(path(t, tt.path))
		named := p.Series(s)
		p.Resolve(selection.NewTables(tables(t)))
		if tabled := p.Series(s); named != tt.named || tabled != tt.tabled {
			t.Errorf("%s: %v by its names, %v by tables, want %v and %v", tt.path, named, tabled, tt.named, tt.tabled)
		}
	}
}

func TestCheckMachine(t *testing.T) {
	own, other := path(t, `\\HOST\a\b`), path(t, `\\other\a\b`)
	if err := selection.CheckMachine([]winperf.Path{{}, own}, "host"); err != nil {
		t.Error(err)
	}
	err := selection.CheckMachine([]winperf.Path{own, other}, "host")
	if !errors.Is(err, winperf.ErrNoMachine) || !strings.HasPrefix(err.Error(), `\\other\a\b: `) ||
		!strings.HasSuffix(err.Error(), "host") {
		t.Error(err)
	}
}

func path(t testing.TB, text string) winperf.Path {
	t.Helper()
	p, err := winperf.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
