package diagnosis

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/sorted"
)

// Probe is the result of calling a version 1 provider once, in a separate process.
type Probe struct {
	// Steps are the calls in order: load, Open, Collect, Close. After a failure no call follows.
	Steps []Step `json:"steps"`
	// Lies are contradictions between the answer and its lengths.
	Lies []string `json:"lies,omitempty"`
	// Objects are the title indices of the delivered objects.
	Objects []uint32 `json:"objects,omitempty"`
	// Ended is the reason why the process ended before its time, or "".
	Ended string `json:"ended,omitempty"`
}

// Step is one call of a provider.
type Step struct {
	Name   string        `json:"name"`
	Time   time.Duration `json:"time"`
	Error  string        `json:"error,omitempty"`
	Denied bool          `json:"denied,omitempty"` // the error means that the account lacks a right
}

// slow is the time of a call that a user notices.
const slow = time.Second

// providerChecks are the checks of version 1 providers (Microsoft Learn, "Creating Other Registry
// Entries").
var providerChecks = []check{
	{
		"process_disabled", Error,
		"The objects Process and Thread are missing. Programs that read them show nothing; few of them know the " +
			"object Process V2.",
		perProvider("The provider %s is disabled.", processDisabled, Finding.enableProvider),
	},
	{
		"provider_disabled", Error,
		"Windows does not load the provider: its objects are missing for all programs.",
		perProvider("The provider %s is disabled.", providerDisabled, Finding.enableProvider),
	},
	{
		"library_missing", Error,
		"The provider's objects are missing. Each query searches the DLL again and can log an error.",
		perProvider("The DLL of the provider %s does not exist.", libraryMissing, Finding.uninstall),
	},
	{
		"library_bitness", Warning,
		"A program loads only DLLs of its own processor type. Programs of the other type get the objects through " +
			"the service PerfHost, or not at all.",
		perProvider("The DLL of the provider %s is for another processor type.", libraryBitness,
			Finding.readOtherType),
	},
	{
		"entry_missing", Error,
		"Windows cannot call the provider, so its objects are missing.",
		perProvider("The key of the provider %s does not name all functions of its DLL.", entryMissing,
			Finding.uninstall),
	},
	{
		"range_invalid", Error,
		"The provider assigns title indices that have no names, or names of others.",
		perProvider("The provider %s has an impossible range of title indices.", rangeInvalid, Finding.reinstall),
	},
	{
		"range_overlap", Error,
		"Several providers use the same title indices. Their objects and counters have the names of others.",
		findRangeOverlap,
	},
	{
		"range_unnamed", Error,
		"Objects and counters of the provider have no names. Most programs do not find them.",
		perProvider("The English name table lacks names of the provider %s.", rangeUnnamed, Finding.reinstall),
	},
	{
		"objects_outside_range", Warning,
		"Windows does not load the provider if a program requests these objects, or their names belong to " +
			"another provider.",
		perProvider("The provider %s has objects outside of its range of title indices.", objectsOutside,
			Finding.reinstall),
	},
	{
		"provider_failed", Error,
		"The provider's objects are missing, and Windows can disable the provider. A DLL that crashes ends each " +
			"program that reads counters.",
		perProvider("The DLL of the provider %s fails.", providerFailed, Finding.withoutProvider),
	},
	{
		"provider_slow", Warning,
		"Each program that reads all objects waits for this provider. Windows discards an answer after the " +
			"timeout (10 s, unless the key sets another one).",
		perProvider("The provider %s is slow.", providerSlow, Finding.withoutProvider),
	},
	{
		"provider_lies", Error,
		"Windows or the reading program discards the objects, and objects of other providers behind them. " +
			"Without tests in Windows, a program can crash.",
		perProvider("The data of the provider %s contradict their lengths.", providerLies, Finding.withoutProvider),
	},
}

// perProvider returns a check that examines each provider alone. what has its name as %s; without
// evidence there is no finding.
func perProvider(
	what string, evidence func(*view, *provider) []string, repair func(Finding, *provider) Finding,
) func(*view, func(Finding)) {
	return func(v *view, report func(Finding)) {
		for _, p := range v.providers {
			if found := evidence(v, p); len(found) > 0 {
				report(repair(Finding{What: fmt.Sprintf(what, p.name), Evidence: few(found)}, p))
			}
		}
	}
}

// processProvider delivers the objects Process and Thread.
const processProvider = "PerfProc"

func processDisabled(v *view, p *provider) []string {
	if p.name != processProvider {
		return nil
	}
	return v.disabledBy(p)
}

func providerDisabled(v *view, p *provider) []string {
	if p.name == processProvider {
		return nil
	}
	return v.disabledBy(p)
}

func (v *view) disabledBy(p *provider) []string {
	if p.disabled == 0 {
		return nil
	}
	value := fmt.Sprintf("%s : %s = %d", hklm+p.key, disable, p.disabled)
	return append([]string{value, "reason: " + v.reasonDisabled(p)}, v.eventsOf(p)...)
}

// reasonDisabled returns the fault that probably made Windows disable a provider.
func (v *view) reasonDisabled(p *provider) string {
	for _, faults := range []func(*view, *provider) []string{libraryMissing, entryMissing} {
		if found := faults(v, p); len(found) > 0 {
			return found[0]
		}
	}
	probe := v.Probes[p.name]
	why := cmp.Or(probe.failure(), strings.Join(probe.Lies, "; "))
	return cmp.Or(why, "an administrator, or an error that doctor does not see now")
}

func libraryMissing(v *view, p *provider) []string {
	if p.library == "" {
		return []string{fmt.Sprintf("no value %s : Library", hklm+p.key)}
	}
	if v.Library == nil {
		return nil
	}
	if _, err := v.Library(p.library); errors.Is(err, fs.ErrNotExist) {
		return []string{fmt.Sprintf("%s : Library = %s: %v", hklm+p.key, p.library, err)}
	}
	return nil
}

// processors are machine types of PE files (Microsoft Learn, "PE Format").
var processors = map[uint16]string{0x14c: "x86", 0x8664: "x64", 0xaa64: "ARM64"}

func processorName(p uint16) string { return cmp.Or(processors[p], fmt.Sprintf("type 0x%x", p)) }

func libraryBitness(v *view, p *provider) []string {
	if v.Library == nil || p.library == "" {
		return nil
	}
	processor, err := v.Library(p.library)
	if err != nil || processor == v.Processor {
		return nil
	}
	const form = "%s is for %s, this winperf is for %s"
	return []string{fmt.Sprintf(form, p.library, processorName(processor), processorName(v.Processor))}
}

func entryMissing(_ *view, p *provider) (missing []string) {
	for _, export := range []string{"Open", "Collect", "Close"} {
		if p.exports[export] == "" {
			missing = append(missing, fmt.Sprintf("no value %s : %s", hklm+p.key, export))
		}
	}
	return missing
}

func rangeInvalid(_ *view, p *provider) (wrong []string) {
	if !p.named() {
		return nil
	}
	if p.first > p.last || p.first%2 != 0 || p.last%2 != 0 || p.first == 0 {
		const form = "First Counter = %d, Last Counter = %d, expected rising even numbers"
		wrong = append(wrong, fmt.Sprintf(form, p.first, p.last))
	}
	if p.firstHelp > p.lastHelp || p.firstHelp%2 != 1 || p.lastHelp%2 != 1 {
		const form = "First Help = %d, Last Help = %d, expected rising odd numbers"
		wrong = append(wrong, fmt.Sprintf(form, p.firstHelp, p.lastHelp))
	}
	return wrong
}

func findRangeOverlap(v *view, report func(Finding)) {
	byFirst := slices.DeleteFunc(slices.Clone(v.providers), func(p *provider) bool {
		return !p.named() || p.first > p.last
	})
	sorted.Func(byFirst, func(a, b *provider) int { return cmp.Compare(a.first, b.first) })

	widest := 0 // position of the range that ends last
	for i, p := range byFirst {
		q := byFirst[widest]
		if i > 0 && p.first <= q.last {
			report(Finding{
				What: fmt.Sprintf("The title indices of the providers %s and %s overlap.", q.name, p.name),
				Evidence: []string{
					fmt.Sprintf("%s: %d to %d", q.name, q.first, q.last),
					fmt.Sprintf("%s: %d to %d", p.name, p.first, p.last),
				},
			}.reinstallAll(q, p))
		}
		if p.last > q.last {
			widest = i
		}
	}
}

func rangeUnnamed(v *view, p *provider) []string {
	l := v.english()
	if l == nil || l.names.Len() == 0 || !p.named() {
		return nil
	}
	_, first := l.names.Name(p.first)
	_, last := l.names.Name(p.last)
	if first && last {
		return nil
	}
	const form = "title indices %d to %d, name of the first: %t, of the last: %t"
	return []string{fmt.Sprintf(form, p.first, p.last, first, last)}
}

func objectsOutside(v *view, p *provider) (evidence []string) {
	if !p.named() || p.first > p.last {
		return nil
	}
	outside := func(where string, objects []uint32) {
		objects = slices.DeleteFunc(slices.Clone(objects), p.owns)
		if len(objects) > 0 {
			const form = "%s contains %s, the range is %d to %d"
			evidence = append(evidence, fmt.Sprintf(form, where, listed(objects), p.first, p.last))
		}
	}
	outside("Object List", p.objects)
	outside("the answer of the DLL", v.Probes[p.name].Objects)
	return evidence
}

// probe returns the result of calling a provider, unless it is disabled: its faults are the reason then.
func (v *view) probe(p *provider) Probe {
	if p.disabled != 0 {
		return Probe{}
	}
	return v.Probes[p.name]
}

// failure returns the first failed call, or "". Missing rights are another finding.
func (p Probe) failure() string {
	for _, s := range p.Steps {
		if s.Error != "" && !s.Denied {
			return fmt.Sprintf("%s: %s", s.Name, s.Error)
		}
	}
	return p.Ended
}

func providerFailed(v *view, p *provider) []string {
	if why := v.probe(p).failure(); why != "" {
		return []string{p.library, why}
	}
	return nil
}

func providerSlow(v *view, p *provider) (evidence []string) {
	for _, s := range v.probe(p).Steps {
		if s.Time > slow {
			evidence = append(evidence, fmt.Sprintf("%s took %v", s.Name, s.Time.Round(time.Millisecond)))
		}
	}
	return evidence
}

func providerLies(v *view, p *provider) []string { return v.probe(p).Lies }
