package publish

import (
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// spoken is a schema of one object with translations, which are JSON, and a counter N.
func spoken(name, languages, counterLanguages string) string {
	return `{"objects":[{"name":"` + name + `","languages":{` + languages + `},"counters":[
		{"name":"N","type":"PERF_COUNTER_RAWCOUNT","languages":{` + counterLanguages + `}}]}]}`
}

// shown are the objects' names with those in French, and of each the counter's.
func (w *watcher) shown() string {
	w.t.Helper()
	d, err := provider.NewDispatcher(provider.Options{}, w.Refresh())
	if err != nil {
		w.t.Fatal(err)
	}
	defer d.Close()
	names, _ := nametable.FromSchema(&winperf.Schema{Names: d.Names()})
	french := names.In("00C")
	var lines []string
	for _, o := range d.Objects() {
		lines = append(lines, o.Name+"="+french.Title(o.Index)+" "+french.Title(o.Counters[0].Index)+" "+
			french.Help(o.HelpIndex))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// A translated name is another object's neither where that has it in English nor where an
// earlier one has it, and it is found by it only then; translations of counters of one English
// name stay apart.
func TestTranslations(t *testing.T) {
	dir := tempDir(t)
	of := map[string]int64{}
	add := func(owner int64, text string) {
		of[start(t, dir, text).Path()] = owner
	}
	add(61001, spoken("Shop", `"00C":{"name":"Boutique","help":"Ventes."}`, `"00c":{"name":"Nombre"}`))
	add(61002, spoken("Evil", `"00C":{"name":"shop"},"007":{"name":"System"}`, `"00C":{"name":"Mal"}`))
	add(61002, spoken("Late", `"00C":{"name":"boutique"}`, ``))
	w := watch(t, ReaderOptions{Dirs: []string{dir},
		Reserved: func(name string) bool { return strings.EqualFold(name, "system") }})
	w.ownedBy(of)
	w.trusting("61001\n61002\n")

	const want = "Evil=Evil Mal Published by uid 61002.\nLate=Late N Published by uid 61002.\n" +
		"Shop=Boutique Nombre Published by uid 61001. Ventes."
	if got := w.shown(); got != want {
		t.Errorf("shown are\n%s\nwant\n%s", got, want)
	}

	for name, want := range map[string]string{"Boutique": "Shop", "SHOP": "Shop", "system": "", "boutique": "Shop"} {
		w.view = w.View(func(s string) bool { return strings.EqualFold(s, name) })
		found := ""
		if p := w.Refresh(); p != nil {
			for _, o := range p.Objects() {
				found += o.Name
				for _, text := range o.Languages {
					if o.Name != "Shop" && strings.EqualFold(text.Name, name) {
						t.Errorf("%q finds %s by its translation", name, o.Name)
					}
				}
			}
		}
		if !strings.Contains(found, want) || want == "" && found != "" {
			t.Errorf("%q finds %q, want %q", name, found, want)
		}
	}
}

// What a schema says in very many languages is more than a file may have.
func TestTooManyLanguages(t *testing.T) {
	dir := tempDir(t)
	lay(t, dir, "many", bomb(`{"name":"x","languages":{`+strings.Repeat(`"00C":{"name":"y"},`, 4*maxLanguages)+
		`"00C":{"name":"y"}}}`, 1), true)
	lay(t, dir, "long", bomb(`{"name":"x","languages":{"00C":{"name":"`+strings.Repeat("y", pubfile.MaxName+1)+
		`"}},"counters":[{"name":"N","type":"PERF_COUNTER_RAWCOUNT"}]}`, 1), true)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect()
	w.expectProblems("braces, want at most", "a name of 1025 bytes, want at most 1024")
}
