package diagnosis

import (
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
)

// Severity is the weight of a finding.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // counters are missing or wrong
	Warning Severity = "warning" // counters may become missing or wrong, or reading is slow
	Note    Severity = "note"    // a property of the machine that readers should know
)

// Finding is one fault of a machine.
type Finding struct {
	Code     string   `json:"code"` // does not change between versions
	Severity Severity `json:"severity"`
	What     string   `json:"what"`     // the fault, in one sentence
	Breaks   string   `json:"breaks"`   // its consequences
	Evidence []string `json:"evidence"` // the values and errors that show it
	Fix      []string `json:"fix"`      // commands, in this order
	Risk     string   `json:"risk"`     // of the commands
}

// Unexamined is a part of a machine that could not be examined.
type Unexamined struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
}

// Report is the result of an examination.
type Report struct {
	Findings   []Finding    `json:"findings"`
	Examined   []string     `json:"examined"` // the examined parts, with numbers
	Unexamined []Unexamined `json:"unexamined"`
}

// Registry is a read-only view of HKEY_LOCAL_MACHINE. Errors wrap fs.ErrNotExist for missing keys and
// values, and fs.ErrPermission if the account may not read them.
type Registry interface {
	// Keys returns the names of the subkeys of a key.
	Keys(path string) ([]string, error)
	Value(path, name string) (t regfile.ValueType, data []byte, err error)
}

// Machine has the examined data. Checks of nil fields are omitted.
type Machine struct {
	Registry Registry
	// Rights returns the access control list of a key, nil if it has none of its own.
	Rights func(path string) ([]Access, error)
	// Library returns the processor of a DLL as in its PE header. Paths can contain %NAME%.
	Library func(path string) (processor uint16, err error)
	// Processor is the processor of this program, in the same form.
	Processor uint16
	// Probes are the results of calling each version 1 provider, by name.
	Probes map[string]Probe
	// Events returns the newest entries of Perflib in the event log. With an error, older ones are missing.
	Events func() ([]Event, error)
	// Sets are the counter sets that PerfLib lists.
	Sets []winperf.GUID
	// Manifests are compared with the registrations of version 2 providers.
	Manifests []*regfile.Manifest
	// Groups are the groups for performance counters of which the account is a member.
	Groups []string
	// Anomalies are the anomalies of a short measurement.
	Anomalies []winperf.Anomaly
	// Costs are the times to read each object, the median of 3 samples if the first one was slow.
	Costs []Cost
	// Published are the problems of the directories of published counters.
	Published []error
	// Root has the directories proc and sys of a Linux host.
	Root fs.FS
	// Examined and Unexamined are parts that the caller could and could not read.
	Examined   []string
	Unexamined []Unexamined
}

// Cost is the time to read an object.
type Cost struct {
	Object string
	Time   time.Duration
}

// check is one kind of finding.
type check struct {
	code     string
	severity Severity
	breaks   string
	find     func(v *view, report func(Finding))
}

// Examine runs all checks. Findings have the order of the checks.
func Examine(m *Machine) Report {
	v := newView(m)
	r := Report{Findings: []Finding{}, Examined: []string{}, Unexamined: []Unexamined{}} // [] in JSON
	for _, c := range checks() {
		c.find(v, func(f Finding) {
			f.Code, f.Severity, f.Breaks = c.code, c.severity, c.breaks
			r.Findings = append(r.Findings, f)
		})
	}
	r.Examined = append(append(r.Examined, v.examined()...), m.Examined...)
	r.Unexamined = append(append(r.Unexamined, m.Unexamined...), v.unexamined...)
	return r
}

func checks() []check {
	return slices.Concat(nameChecks, providerChecks, setChecks, rightsChecks, hostChecks)
}

// examined returns the parts that the checks could examine.
func (v *view) examined() (parts []string) {
	type part struct {
		examined bool
		form     string
		n        int
	}

	for _, part := range []part{
		{v.perflib, "languages of name tables: %d", len(v.languages)},
		{v.services, "version 1 providers: %d", len(v.providers)},
		{v.Probes != nil, "called providers: %d", len(v.Probes)},
		{v.Sets != nil || len(v.sets) > 0, "registered counter sets of version 2: %d", len(v.sets)},
		{len(v.Manifests) > 0, "manifests: %d", len(v.Manifests)},
		{v.services, "services: %d", len(services)},
		{v.Rights != nil, "keys and their rights: %d", len(v.ruledKeys())},
		{v.Groups != nil, "groups of this account: %d", len(v.Groups)},
		{v.Root != nil, "needed files and directories: %d", len(files)},
		{v.Costs != nil, "objects and their times: %d", len(v.Costs)},
	} {
		if part.examined {
			parts = append(parts, fmt.Sprintf(part.form, part.n))
		}
	}
	return parts
}

// listed returns at most 8 texts and the number of the others.
func listed[T any](texts []T) string {
	const most = 8
	if len(texts) == 0 {
		return "none"
	}

	line := ""
	for i, t := range texts[:min(len(texts), most)] {
		if i > 0 {
			line += ", "
		}
		line += fmt.Sprint(t)
	}
	if n := len(texts) - most; n > 0 {
		line += fmt.Sprintf(" and %d more", n)
	}
	return line
}
