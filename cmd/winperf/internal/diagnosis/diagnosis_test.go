package diagnosis

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func codes() (all []string) {
	for _, c := range checks() {
		all = append(all, c.code)
	}
	return all
}

// TestFindings examines two machines for each code: one shows this finding and the listed others, the
// other one does not show it.
func TestFindings(t *testing.T) {
	all := fixtures(t)
	for _, code := range codes() {
		f, found := all[code]
		delete(all, code)
		if !found {
			t.Errorf("%s has no fixtures", code)
			continue
		}

		var shown []string
		for _, finding := range Examine(f.shows).Findings {
			shown = append(shown, finding.Code)
			if finding.Code != code {
				continue
			}
			if finding.What != f.what || finding.Evidence[0] != f.evidence {
				t.Errorf("%s: %s\n%q", code, finding.What, finding.Evidence)
			}
		}
		if !slices.Contains(shown, code) {
			t.Errorf("%s is not found, but %q", code, shown)
		}
		for _, finding := range Examine(f.healthy).Findings {
			if finding.Code == code {
				t.Errorf("%s is found on the healthy machine: %s %q", code, finding.What, finding.Evidence)
			}
		}
	}
	for code := range all {
		t.Errorf("the fixtures of %s have no check", code)
	}
}

// TestComplete checks that each finding has all parts, and that lodctr /R is never suggested without a
// backup before it and the list of providers in the tables.
func TestComplete(t *testing.T) {
	rebuilds := 0
	for code, f := range fixtures(t) {
		for _, finding := range Examine(f.shows).Findings {
			if finding.What == "" || finding.Breaks == "" || finding.Risk == "" || finding.Severity == "" ||
				len(finding.Evidence) == 0 || len(finding.Fix) == 0 {
				t.Errorf("%s: %+v", code, finding)
			}

			at := slices.Index(finding.Fix, "lodctr /R")
			if at < 0 {
				continue
			}
			rebuilds++
			if !slices.ContainsFunc(finding.Fix[:at], func(s string) bool { return strings.HasPrefix(s, "lodctr /S:") }) ||
				!strings.Contains(finding.Risk, "Providers with names in the tables: Alpha, Beta.") {
				t.Errorf("%s: %q, risk %s", code, finding.Fix, finding.Risk)
			}
		}
	}
	if rebuilds == 0 {
		t.Error("no finding suggests lodctr /R")
	}
}

// TestRebuildUnknown has no keys of providers, so lodctr /R would lose unknown ones.
func TestRebuildUnknown(t *testing.T) {
	m := windowsMachine(t, `Perflib\009`, `Perflib\00C`)
	m.Registry = denying{m.Registry, `SYSTEM\CurrentControlSet\Services`, os.ErrNotExist}
	r := Examine(m)
	if len(r.Findings) != 1 || r.Findings[0].Code != "names_missing" ||
		r.Findings[0].Fix[0] != `reg export HKLM\SYSTEM\CurrentControlSet\Services services.reg` {
		t.Errorf("%+v", r.Findings)
	}
	want := []Unexamined{{
		"version 1 providers", `HKLM\SYSTEM\CurrentControlSet\Services: file does not exist`,
	}}
	if d := cmp.Diff(want, r.Unexamined); d != "" {
		t.Error(d)
	}
}

// TestRebuildDenied may not read one provider, which lodctr /R would lose without notice.
func TestRebuildDenied(t *testing.T) {
	m := windowsMachine(t, `Perflib\009`, `Perflib\00C`)
	m.Registry = denying{m.Registry, `SYSTEM\CurrentControlSet\Services\Beta\Performance`, os.ErrPermission}
	for _, f := range Examine(m).Findings {
		if slices.Contains(f.Fix, "lodctr /R") {
			t.Errorf("%s: %q, risk %s", f.Code, f.Fix, f.Risk)
		}
	}
}

// TestUnsafeNames has names that would change the suggested commands. They are in none.
func TestUnsafeNames(t *testing.T) {
	for _, name := range []string{`A" & calc & "`, "A%PATH%", "A'; calc; '", "A`n", "A$(calc)", "A${x}", "A\u2019; calc; \u2018", "A\u202eB"} {
		r := Examine(windowsMachine(t, `Services\Beta\Performance`, `Services\`+name+`\Performance`, "OpenBeta", "",
			`_V2Providers\{11111111-1111-1111-1111-111111111111}]`, `_V2Providers\{1} & calc]`).lacks("beta.dll"))
		for _, f := range r.Findings {
			if fix := strings.Join(f.Fix, "\n"); strings.Contains(fix, name) || strings.Contains(fix, "calc") {
				t.Errorf("%s: %s", f.Code, fix)
			}
		}
		if len(r.Unexamined) != 2 || !strings.Contains(r.Unexamined[0].Reason, "unsafe in commands") {
			t.Errorf("%s: %+v", name, r.Unexamined)
		}
	}
	for _, name := range []string{"MSSQL$SQLEXPRESS", ".NET CLR Data", "!FirstObject", "Überwachung (x86)"} {
		if !quotable(name) {
			t.Errorf("%s cannot be quoted", name)
		}
	}
}

// TestHealthy examines machines without faults.
func TestHealthy(t *testing.T) {
	examined := map[string][]string{
		"Windows": {
			"languages of name tables: 2", "version 1 providers: 3", "called providers: 3",
			"registered counter sets of version 2: 1", "services: 3", "groups of this account: 1",
		},
		"Linux": {"needed files and directories: 13", "objects and their times: 1", "clocks"},
		"none":  {},
	}
	healthyLinux := linuxMachine()
	healthyLinux.Examined = []string{"clocks"}
	for name, m := range map[string]*Machine{"Windows": windowsMachine(t), "Linux": healthyLinux, "none": {}} {
		r := Examine(m)
		if len(r.Findings) != 0 || len(r.Unexamined) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
		if d := cmp.Diff(examined[name], r.Examined); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestReason finds why Windows disabled a provider.
func TestReason(t *testing.T) {
	const unknown = "reason: an administrator, or an error that doctor does not see now"
	disabled := func(change func(*Machine)) *Machine {
		const library = `"Library"="beta.dll"`
		m := windowsMachine(t, library, library+"\n\"Disable Performance Counters\"=dword:00000001")
		m.Events = func() ([]Event, error) { return nil, nil }
		change(m)
		return m
	}
	events := func(err error, names ...string) *Machine {
		return disabled(func(m *Machine) {
			m.Events = func() (all []Event, _ error) {
				for i, name := range names {
					all = append(all, Event{ID: strconv.Itoa(1000 + i), Time: "T", Values: []string{name, "x.dll"}})
				}
				return all, err
			}
		})
	}
	for name, c := range map[string]struct {
		m    *Machine
		want []string
	}{
		"export":  {disabled(func(m *Machine) { m.Events = nil }), []string{unknown, "the events that name the provider: " + showEvents}},
		"Open":    {disabled(func(m *Machine) { m.answers(Probe{Steps: []Step{{Name: "Open", Error: "error 2"}}}) }), []string{"reason: Open: error 2", noEvents(0)}},
		"crash":   {disabled(func(m *Machine) { m.answers(Probe{Ended: "it crashed"}) }), []string{"reason: it crashed", noEvents(0)}},
		"lies":    {disabled(func(m *Machine) { m.answers(Probe{Lies: []string{"a", "b"}}) }), []string{"reason: a; b", noEvents(0)}},
		"library": {disabled(func(m *Machine) { m.lacks("beta.dll") }), []string{"reason: " + servicesPrefix + `Beta\Performance : Library = beta.dll: find beta.dll: file does not exist`, noEvents(0)}},
		"others":  {events(nil, "Alpha", "Gamma"), []string{unknown, noEvents(2)}},
		"named":   {events(nil, "Alpha", `"beta"`, "Beta"), []string{unknown, `event 1001 of T: "beta", x.dll`, "event 1002 of T: Beta, x.dll"}},
		"many":    {events(nil, "Beta", "Beta", "Beta", "Beta"), []string{unknown, "event 1000 of T: Beta, x.dll", "event 1001 of T: Beta, x.dll", "event 1002 of T: Beta, x.dll"}},
		"absent":  {events(errors.New("error 15007")), []string{unknown, "the event log could not be read: error 15007"}},
		"lost":    {events(errors.New("error 6"), "Beta"), []string{unknown, "event 1000 of T: Beta, x.dll", "the event log could not be read: error 6"}},
	} {
		found := Examine(c.m).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Code == "provider_disabled" })
		if d := cmp.Diff(c.want, found[i].Evidence[1:]); d != "" {
			t.Errorf("%s: %s", name, d)
		}

		// The repair of these would be to disable the provider.
		for _, f := range found {
			if f.Code == "provider_failed" || f.Code == "provider_lies" {
				t.Errorf("%s: %s is found for a disabled provider", name, f.Code)
			}
		}
	}
}

// TestMayRead decides from lists whether LOCAL SERVICE may read a key.
func TestMayRead(t *testing.T) {
	const everyone, local = "S-1-1-0", "S-1-5-19"
	for name, c := range map[string]struct {
		list []Access
		want bool
	}{
		"empty":       {[]Access{}, false},
		"own":         {[]Access{{local, false, 0x20019}}, true},
		"others":      {[]Access{{"S-1-5-32-544", false, 0xf003f}, {"S-1-5-4", false, 0x20019}}, false},
		"in parts":    {[]Access{{local, false, 1}, {everyone, false, 8}}, true},
		"a part":      {[]Access{{local, false, 1}, {everyone, false, 0x10}}, false},
		"denied":      {[]Access{{everyone, true, 8}, {local, false, 0x20019}}, false},
		"denied late": {[]Access{{local, false, 0x20019}, {everyone, true, 8}}, true},
		"writes":      {[]Access{{local, true, 0x2}, {local, false, 0x20019}}, true},
		"all denied":  {[]Access{{everyone, true, genericAll}, {local, false, 0x20019}}, false},
	} {
		if got := mayRead(c.list, local, append([]string{service}, users...)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestRights has a key whose rights cannot be read, and the repair of another one.
func TestRights(t *testing.T) {
	m := windowsMachine(t)
	const beta = `SYSTEM\CurrentControlSet\Services\Beta\Performance`
	m.Rights = func(path string) ([]Access, error) {
		switch path {
		case perflibKey:
			return nil, errors.New("error 6")
		case beta:
			return []Access{{"S-1-5-32-558", false, 0x20019}, {"S-1-5-32-559", false, 0x20019}, {"S-1-5-19", false, 0x20019}}, nil
		}
		return nil, nil
	}
	r := Examine(m)
	if d := cmp.Diff([]Unexamined{{"rights", hklm + perflibKey + ": error 6"}}, r.Unexamined); d != "" {
		t.Error(d)
	}
	if len(r.Findings) != 1 || r.Findings[0].Fix[0] != `foreach ($k in 'HKLM:\`+beta+`') { $k; (Get-Acl $k).Sddl }` ||
		!strings.Contains(r.Findings[0].Fix[1], "foreach ($s in 'S-1-5-20') ") ||
		r.Findings[0].Evidence[0] != hklm+beta+": NETWORK SERVICE" {
		t.Errorf("%+v", r.Findings)
	}
}

// TestRenew has names that are missing or left over in German. lodctr /R is only for names of Windows.
func TestRenew(t *testing.T) {
	german := `007]` + "\n" + `"Counter"=names:1=1846,2=System,2000=Alpha,2002=Aufgaben,2004=Schlangen,2006=Beta,2008=Platten`
	for old, c := range map[string]struct{ changed, fix string }{
		"2=System,":     {"", "lodctr /R"},
		",2008=Platten": {"", `unlodctr "Beta"`},
		"2008=Platten":  {"2008=Platten,2012=Alt", "lodctr /Q"},
	} {
		found := Examine(windowsMachine(t, german, strings.Replace(german, old, c.changed, 1))).Findings
		if len(found) != 1 || found[0].Code != "names_disagree" || !slices.Contains(found[0].Fix, c.fix) {
			t.Errorf("%s: %+v", old, found)
		}
	}
}

// TestOddNames has title indices of the wrong kind, and no record of the highest one.
func TestOddNames(t *testing.T) {
	const key = hklm + perflibKey
	for want, m := range map[string]*Machine{
		key + `\009 : Counter contains indices of the wrong kind: 2005`: windowsMachine(t, "2004=Queues", "2005=Queues"),
		key + `\007 : Help contains indices of the wrong kind: 4`:       windowsMachine(t, "3=Das System.", "4=Das System."),
		"no value " + key + ` : Last Counter`:                           windowsMachine(t, `"Last Counter"=dword:000007d8`+"\n\"Last Help\"", `"Last Help"`),
	} {
		found := Examine(m).Findings
		if len(found) == 0 || found[0].Evidence[0] != want {
			t.Errorf("%+v, want %s", found, want)
		}
	}
}

// TestRepairs checks that repairs on Linux fit the fault in the evidence.
func TestRepairs(t *testing.T) {
	problem := func(text string) *Machine {
		m := linuxMachine()
		m.Published = []error{errors.New(text)}
		return m
	}
	const onlyProcesses = "21 1 0:20 / /proc rw - proc proc rw,subset=pid\n"
	for want, m := range map[string]*Machine{
		"chmod +t /run/winperf":                       problem("other accounts may remove files from /run/winperf (chmod +t; or chmod go-w where only its owner publishes): permission denied"),
		"chmod go-w /etc/winperf/publishers":          problem("others may write to /etc/winperf/publishers (chmod go-w): permission denied"),
		"ls -ld /run/winperf /etc/winperf/publishers": problem("/run/x; reboot is not a directory: invalid argument"),
		"mount -t proc proc /proc":                    linuxMachine("proc/self/mountinfo", onlyProcesses, "proc/pressure/cpu", "-"),
	} {
		found := Examine(m).Findings
		if len(found) != 1 || len(found[0].Fix) != 1 || found[0].Fix[0] != want {
			t.Errorf("%+v, want %s", found, want)
		}
	}
}

func noEvents(n int) string {
	return fmt.Sprintf("none of the %d newest events of Perflib names the provider", n)
}

// TestParseEvent reads events of both kinds, and damaged ones.
func TestParseEvent(t *testing.T) {
	const system = `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Microsoft-Windows-Perflib'/>` +
		`<EventID Qualifiers='49152'>1008</EventID><TimeCreated SystemTime='2026-11-27T10:20:30.45Z'/><Computer>HOST</Computer></System>`
	for text, want := range map[string]string{
		system + `<UserData><EventXML xmlns='P'><param1>Beta</param1><param2>C:\b &amp; c.dll</param2><binaryDataSize>4</binaryDataSize></EventXML></UserData></Event>`: `event 1008 of 2026-11-27T10:20:30.45Z: Beta, C:\b & c.dll, 4`,
		system + "<EventData>\n  <Data>Beta</Data>\n  <Data/>\n</EventData></Event>":                                                                                    "event 1008 of 2026-11-27T10:20:30.45Z: Beta",
		`<Event/>`: "event  of : ",
	} {
		if e, err := ParseEvent(text, ""); e.String() != want || err != nil {
			t.Errorf("%s: %s, error %v", text, e, err)
		}
	}

	e, err := ParseEvent(system+"</Event>", "The Open procedure\r\n\r\nfailed. ")
	if want := "event 1008 of 2026-11-27T10:20:30.45Z: The Open procedure failed."; e.String() != want || err != nil {
		t.Errorf("%s, error %v", e, err)
	}
	for _, text := range []string{system, "<Event", "<a></b>", "\x00"} {
		if _, err := ParseEvent(text, ""); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestPage checks that docs/doctor.md has a section for each code, and no other.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	for _, m := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(string(text), -1) {
		sections = append(sections, m[1])
	}
	if d := cmp.Diff(codes(), sections); d != "" {
		t.Error(d)
	}
}
