package diagnosis

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// nameChecks are the checks of the name tables (Microsoft Learn, "Retrieving Counter Names and Help
// Text").
var nameChecks = []check{
	{
		"counters_disabled", Error,
		"No program sees the counters of version 1 providers, such as Process and PhysicalDisk.",
		findCountersDisabled,
	},
	{
		"names_missing", Error,
		"Objects and counters have numbers instead of names. PDH, typeperf and most programs find no counter.",
		findNamesMissing,
	},
	{
		"names_damaged", Warning,
		"Names behind a damaged place can be lost or belong to other counters.",
		findNamesDamaged,
	},
	{
		"names_above_last", Error,
		"Programs that read the tables up to Last Counter or Last Help miss the names above. The next lodctr can " +
			"assign title indices that are in use.",
		findNamesAboveLast,
	},
	{
		"names_disagree", Note,
		"In this language some names are missing, so that English ones are shown, or are left over from a " +
			"removed provider. Paths in this language do not match the missing names.",
		findNamesDisagree,
	},
}

func findCountersDisabled(v *view, report func(Finding)) {
	if !v.perflib {
		return
	}
	if n := v.number(namesPart, perflibKey, disable); n != 0 {
		report(Finding{
			What:     "All version 1 providers are disabled on this machine.",
			Evidence: []string{fmt.Sprintf(`%s : %s = %d`, hklm+perflibKey, disable, n)},
		}.enable(perflibKey))
	}
}

func findNamesMissing(v *view, report func(Finding)) {
	if !v.perflib {
		return
	}

	key := hklm + EnglishNames
	var missing []string
	l := v.english()
	switch {
	case l == nil:
		missing = append(missing, "no key "+key)
	default:
		if l.names.Len() == 0 {
			missing = append(missing, fmt.Sprintf("no texts in %s : Counter", key))
		}
		if l.help.Len() == 0 {
			missing = append(missing, fmt.Sprintf("no texts in %s : Help", key))
		}
	}
	if len(missing) > 0 {
		report(v.rebuild(Finding{What: "The English name tables are missing or empty.", Evidence: missing}))
	}
}

// findNamesDamaged reports damage that loses texts. Surplus zeros and similar faults do no harm.
func findNamesDamaged(v *view, report func(Finding)) {
	for _, l := range v.languages {
		var evidence []string
		for _, err := range l.damage {
			var d *winperf.DataError
			if !errors.As(err, &d) || !d.Warning {
				evidence = append(evidence, err.Error())
			}
		}

		evidence = append(evidence, l.odd()...)

		if len(evidence) > 0 {
			what := fmt.Sprintf("The name tables of language %s are damaged.", l.id)
			report(v.rebuild(Finding{What: what, Evidence: few(evidence)}))
		}
	}
}

// odd reports title indices of the wrong kind: names have even ones, and help texts odd ones.
func (l *language) odd() (evidence []string) {
	for _, t := range []struct {
		value string
		table *nametable.Table
		rest  uint32 // of an index divided by 2
	}{{"Counter", l.names, 0}, {"Help", l.help, 1}} {
		var wrong []uint32
		for index := range t.table.All() {
			if index%2 != t.rest && index != 1 {
				wrong = append(wrong, index)
			}
		}
		if len(wrong) > 0 {
			form := `%s\%s : %s contains indices of the wrong kind: %s`
			evidence = append(evidence, fmt.Sprintf(form, hklm+perflibKey, l.id, t.value, listed(wrong)))
		}
	}
	return evidence
}

// few returns at most 8 texts and a line that counts the others.
func few(texts []string) []string {
	const most = 8
	if n := len(texts) - most; n > 0 {
		return append(texts[:most:most], fmt.Sprintf("%d more", n))
	}
	return texts
}

func findNamesAboveLast(v *view, report func(Finding)) {
	l := v.english()
	if l == nil {
		return
	}

	var evidence []string
	recorded := func(value string, table *nametable.Table) uint32 {
		last := v.number(namesPart, perflibKey, value)
		switch top := highest(table); {
		case last == 0 && top > 0:
			evidence = append(evidence, fmt.Sprintf("no value %s : %s", hklm+perflibKey, value))
		case last < top:
			form := `%s : %s = %d, but the English table contains index %d`
			evidence = append(evidence, fmt.Sprintf(form, hklm+perflibKey, value, last, top))
		}
		return last
	}
	last := recorded("Last Counter", l.names)
	recorded("Last Help", l.help)

	for _, p := range v.providers {
		if last != 0 && p.last > last {
			form := `%s : Last Counter = %d, but provider %s has indices up to %d`
			evidence = append(evidence, fmt.Sprintf(form, hklm+perflibKey, last, p.name, p.last))
		}
	}
	if len(evidence) > 0 {
		what := "The name tables contain title indices above the highest one that Windows recorded."
		report(v.rebuild(Finding{What: what, Evidence: few(evidence)}))
	}
}

func highest(t *nametable.Table) (index uint32) {
	for i := range t.All() {
		index = i
	}
	return index
}

func findNamesDisagree(v *view, report func(Finding)) {
	english := v.english()
	if english == nil || english.names.Len() == 0 || v.incomplete {
		return // the owners of indices are unknown
	}

	for _, l := range v.languages {
		if l.id == nametable.English || l.names.Len() == 0 {
			continue
		}
		missing := v.translated(l.names, difference(english.names, l.names))
		surplus := difference(l.names, english.names)
		if len(missing)+len(surplus) == 0 {
			continue
		}
		report(v.renew(Finding{
			What: fmt.Sprintf("The names of language %s do not have the same title indices as English.", l.id),
			Evidence: []string{
				fmt.Sprintf("missing in %s: %s", l.id, listed(missing)),
				fmt.Sprintf("only in %s: %s", l.id, listed(surplus)),
			},
		}, append(missing, surplus...)))
	}
}

// translated removes the indices of providers that have no name at all in a language: many have only
// English names.
func (v *view) translated(names *nametable.Table, missing []uint32) []uint32 {
	for _, p := range v.providers {
		translated := false
		for index := range names.All() {
			translated = translated || p.owns(index)
		}
		if p.named() && !translated {
			missing = slices.DeleteFunc(missing, p.owns)
		}
	}
	return missing
}

// renew fills the repair of names with these indices, which belong to Windows, to providers, or to
// unknown owners.
func (v *view) renew(f Finding, indices []uint32) Finding {
	var system uint64 // the highest index of Windows, 0 without first pair
	for index, text := range v.english().names.All() {
		if index == 1 {
			system, _ = strconv.ParseUint(text, 10, 32)
		}
	}

	var owners []*provider
	for _, index := range indices {
		if uint64(index) <= system {
			return v.rebuild(f)
		}
		for _, p := range v.providers {
			if p.named() && p.owns(index) && !slices.Contains(owners, p) {
				owners = append(owners, p)
			}
		}
	}
	if len(owners) > 0 {
		return f.reinstallAll(owners...)
	}

	f.Fix = []string{"lodctr /Q"}
	f.Risk = "None: the command only lists the providers. If a program whose names are in the evidence is " +
		"still installed, install its names again."
	return f
}

// difference returns the indices of a that b lacks. Index 1 has no name.
func difference(a, b *nametable.Table) (indices []uint32) {
	for index := range a.All() {
		if _, found := b.Name(index); !found && index > 1 {
			indices = append(indices, index)
		}
	}
	return indices
}
