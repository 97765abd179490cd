package v1

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
)

// TestSelect compares what a selection asks the machine for.
func TestSelect(t *testing.T) {
	object := func(titles ...uint32) (ids []winperf.ObjectID) {
		for _, n := range titles {
			ids = append(ids, winperf.ObjectID{Index: n})
		}
		return ids
	}
	for _, c := range []struct {
		name  string
		sel   winperf.Selection
		paths []string
		opt   Options
		want  string // value names: while compiling, and of the sample
	}{
		{"nothing", winperf.Selection{}, nil, Options{}, "1"},
		{"all", winperf.Selection{Global: true}, nil, Options{}, "Global"},
		{"costly", winperf.Selection{Costly: true}, nil, Options{}, "Costly; Costly"},
		{"both", winperf.Selection{Global: true, Costly: true}, nil, Options{},
			"Costly; Global; 2 4 230 238 900"},
		{"objects", winperf.Selection{Objects: object(238, 2, 238)}, nil, Options{}, "2 238"},
		{"a counter set", winperf.Selection{Objects: []winperf.ObjectID{{GUID: winperf.GUID{1}}}}, nil,
			Options{}, "1"},
		{"a path", winperf.Selection{}, []string{`\Memory\Available Bytes`}, Options{}, "4"},
		{"in capitals, twice, with the machine", winperf.Selection{},
			[]string{`\MEMORY\a`, `\\host\memory\b`}, Options{}, "4"},
		{"one name, two indices", winperf.Selection{}, []string{`\Process(*)\ID Process`},
			Options{}, "230 234"},
		{"in German", winperf.Selection{}, []string{`\Prozessor(*)\x`}, Options{}, "238"},
		{"by index", winperf.Selection{}, []string{`\#7100\x`}, Options{}, "7100"},
		{"unknown", winperf.Selection{}, []string{`\Nothing\x`}, Options{}, "1"},
		{"wildcard", winperf.Selection{}, []string{`\Proc*(*)\x`}, Options{}, "Global; 230 238"},
		{"wildcard in German", winperf.Selection{}, []string{`\Speich??\x`}, Options{}, "Global; 4"},
		{"wildcard that matches nothing", winperf.Selection{}, []string{`\x*\x`}, Options{}, "Global; 1"},
		{"wildcards name no costly object", winperf.Selection{}, []string{`\Costly*\x`}, Options{},
			"Global; 1"},
		{"every object", winperf.Selection{}, []string{`\*\x`, `\**(*)\x`}, Options{}, "Global"},
		{"every object and a path", winperf.Selection{Global: true}, []string{`\Memory\x`}, Options{},
			"Global; Global"},
		{"every object and a costly one", winperf.Selection{Global: true}, []string{`\Costly Thing\x`},
			Options{}, "Global; 2 4 230 238 900"},
		{"costly and a path", winperf.Selection{Costly: true}, []string{`\Memory\x`}, Options{},
			"Costly; 4 900"},
		{"definitions", winperf.Selection{Global: true, Metadata: true}, nil, Options{}, "Global"},
		{"foreign", winperf.Selection{Global: true, Costly: true, Metadata: true}, nil,
			Options{Foreign: "UNIX"}, "Foreign UNIX"},
		{"foreign objects", winperf.Selection{Objects: object(4, 2)}, nil, Options{Foreign: "UNIX"},
			"Foreign UNIX 2 4"},
		{"foreign costly", winperf.Selection{Costly: true}, nil, Options{Foreign: "UNIX"}, "Foreign UNIX 1"},
		{"foreign wildcard", winperf.Selection{}, []string{`\Mem*\x`}, Options{Foreign: "UNIX"},
			"Foreign UNIX; Foreign UNIX 4"},
	} {
		m := system()
		m.values["Foreign UNIX"] = data(block(2, 4))
		s := start(t, m, c.opt)
		if _, err := s.Schema(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.asked()
		q := compile(t, s, c.sel, c.paths...)
		_ = perftest.Take(t.Context(), q, new(winperf.Raw)) // most lists are not there
		if log := withoutStamp(m.asked()); log != c.want {
			t.Errorf("%s: asked for %s; want %s", c.name, log, c.want)
		}
	}
}

// withoutStamp takes out that the stamp was read.
func withoutStamp(log string) string {
	calls := slices.DeleteFunc(strings.Split(log, "; "),
		func(s string) bool { return strings.HasPrefix(s, "Perflib Last") })
	return strings.Join(calls, "; ")
}

// TestSelectMetadata has a machine that answers for definitions only.
func TestSelectMetadata(t *testing.T) {
	for _, c := range []struct {
		sel  winperf.Selection
		path string
		want string
	}{
		{winperf.Selection{Global: true, Metadata: true}, "", "MetadataGlobal"},
		{winperf.Selection{Global: true}, "", "Global"},
		{winperf.Selection{Costly: true}, "", "MetadataCostly; Costly"},
		{winperf.Selection{Costly: true, Metadata: true}, "", "MetadataCostly; MetadataCostly"},
		{winperf.Selection{}, `\Proc*(*)\x`, "MetadataGlobal; 230 238"},
	} {
		m := system()
		m.values["Perflib Supports Metadata"] = number(1)
		m.values["MetadataGlobal"], m.values["MetadataCostly"] = m.values["Global"], m.values["Costly"]
		s := start(t, m, Options{})
		if _, err := s.Schema(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.asked()
		var paths []string
		if c.path != "" {
			paths = []string{c.path}
		}
		q := compile(t, s, c.sel, paths...)
		_ = perftest.Take(t.Context(), q, new(winperf.Raw))
		if log := withoutStamp(m.asked()); log != c.want {
			t.Errorf("%+v: asked for %s; want %s", c.sel, log, c.want)
		}
	}
}

func TestSelectTooMany(t *testing.T) {
	s := start(t, system(), Options{})
	var sel winperf.Selection
	for i := range uint32(4000) {
		sel.Objects = append(sel.Objects, winperf.ObjectID{Index: 10000 + i})
	}
	if _, err := s.Compile(t.Context(), sel); !errors.Is(err, winperf.ErrNotSupported) ||
		!strings.Contains(err.Error(), "4000 objects") {
		t.Errorf("error %v", err)
	}
}

func TestSelectFails(t *testing.T) {
	for _, c := range []struct {
		value string
		a     []answer
		sel   winperf.Selection
		path  string
		want  error
	}{
		{"Costly", failing(winapi.ERROR_ACCESS_DENIED), winperf.Selection{Costly: true}, "",
			winapi.ERROR_ACCESS_DENIED},
		{"Global", failing(winapi.ERROR_ACCESS_DENIED), winperf.Selection{}, `\M*\x`,
			winapi.ERROR_ACCESS_DENIED},
		{"Global", data([]byte("no block")), winperf.Selection{}, `\M*\x`, winperf.ErrBadData},
		{"", nil, winperf.Selection{}, `\\OTHER\Memory\x`, winperf.ErrNoMachine},
	} {
		m := system()
		m.values[c.value] = c.a
		s := start(t, m, Options{})
		if c.path != "" {
			p, err := winperf.ParsePath(c.path)
			if err != nil {
				t.Fatal(err)
			}
			c.sel.Paths = []winperf.Path{p}
		}
		if _, err := s.Compile(t.Context(), c.sel); !errors.Is(err, c.want) {
			t.Errorf("%s %s: error %v, want %v", c.value, c.path, err, c.want)
		}
	}
}
