package diagnosis

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
)

// setChecks are the checks of version 2 providers (Microsoft Learn, "Performance Counters Schema").
var setChecks = []check{
	{
		"set_binary_missing", Error,
		"The counter sets have no names: Windows reads them from this file. Programs do not find the sets.",
		findBinaryMissing,
	},
	{
		"set_unlisted", Warning,
		"A set without registration, or a registration that Windows does not list, cannot be read.",
		findSetUnlisted,
	},
	{
		"set_unregistered", Error,
		"Windows does not know the counter set: no program finds it, although its program provides it.",
		findSetUnregistered,
	},
}

// eachV2 calls f for each version 2 provider with its sets.
func (v *view) eachV2(f func(p set, ids []winperf.GUID)) {
	for i := 0; i < len(v.sets); {
		p := v.sets[i]
		var ids []winperf.GUID
		for ; i < len(v.sets) && v.sets[i].provider == p.provider; i++ {
			ids = append(ids, v.sets[i].id)
		}
		f(p, ids)
	}
}

func (f Finding) unregister(p set) Finding {
	f.Fix = []string{backup, fmt.Sprintf("unlodctr /G:%s", p.provider), `lodctr /M:"PROVIDER.man"`}
	f.Risk = elevated + "Replace PROVIDER.man by the manifest that was installed with the program. Without " +
		"it, do not run unlodctr, or the counter sets are lost."
	return f
}

func findBinaryMissing(v *view, report func(Finding)) {
	if v.Library == nil {
		return
	}
	v.eachV2(func(p set, _ []winperf.GUID) {
		if p.binary == "" {
			return
		}
		if _, err := v.Library(p.binary); errors.Is(err, fs.ErrNotExist) {
			report(Finding{
				What:     fmt.Sprintf("The file with the texts of the version 2 provider %s does not exist.", p.title()),
				Evidence: []string{fmt.Sprintf(`%s\%s : ApplicationIdentity = %s`, hklm+setsKey, p.provider, p.binary)},
			}.unregister(p))
		}
	})
}

func (s set) title() string {
	if s.name == "" {
		return s.provider
	}
	return s.name + " " + s.provider
}

func findSetUnlisted(v *view, report func(Finding)) {
	if v.Sets == nil || v.Registry == nil {
		return
	}
	v.eachV2(func(p set, ids []winperf.GUID) {
		ids = slices.DeleteFunc(ids, func(id winperf.GUID) bool { return slices.Contains(v.Sets, id) })
		if len(ids) > 0 {
			report(Finding{
				What:     fmt.Sprintf("Windows does not list counter sets of the version 2 provider %s.", p.title()),
				Evidence: []string{"registered, but not listed: " + listed(ids)},
			}.unregister(p))
		}
	})
}

func findSetUnregistered(v *view, report func(Finding)) {
	if !v.perflib {
		return
	}
	for _, m := range v.Manifests {
		for _, p := range m.Providers {
			for _, s := range p.Sets {
				v.compareSet(m.File, p.GUID, s, report)
			}
		}
	}
}

// compareSet reports a set of a manifest that is not registered for the manifest's provider.
func (v *view) compareSet(file string, provider winperf.GUID, s regfile.ManifestSet, report func(Finding)) {
	owner := "it is not registered"
	for _, r := range v.sets {
		if r.id != s.GUID {
			continue
		}
		if g, err := winperf.ParseGUID(r.provider); err == nil && g == provider {
			return
		}
		owner = "it is registered for " + r.title()
	}

	report(Finding{
		What: fmt.Sprintf("The counter set %s of the manifest %s is not registered for its "+
			"provider.", s.Name, file),
		Evidence: []string{fmt.Sprintf("set %s, provider %s: %s", s.GUID, provider, owner)},
		Fix:      []string{backup, fmt.Sprintf(`lodctr /M:"%s"`, file)},
		Risk: elevated + "The names change only for this provider. If the set is registered for another " +
			"provider, remove that one first: unlodctr /G:GUID.",
	})
}
