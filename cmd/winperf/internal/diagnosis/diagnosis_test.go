package diagnosis

import (
	"os"
	"regexp"
	"slices"
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

// TestHealthy examines machines without faults.
func TestHealthy(t *testing.T) {
	for name, m := range map[string]*Machine{"Windows": windowsMachine(t), "Linux": linuxMachine(), "none": {}} {
		if r := Examine(m); len(r.Findings) != 0 || len(r.Unexamined) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestReason finds why Windows disabled a provider.
func TestReason(t *testing.T) {
	const library = `"Library"="beta.dll"`
	const disabled = "\n\"Disable Performance Counters\"=dword:00000001"
	m := windowsMachine(t, library, library+disabled)
	for _, c := range []struct {
		m    *Machine
		want string
	}{
		{windowsMachine(t, library, library+disabled), "unknown, an administrator or an earlier error; " +
			"events of Perflib that name the provider show it: wevtutil qe Application " +
			`"/q:*[System/Provider[@Name='Microsoft-Windows-Perflib']]" /c:20 /rd:true /f:text`},
		{m.answers(Probe{Steps: []Step{{Name: "Open", Error: "error 2"}}}), "Open: error 2"},
		{windowsMachine(t, library, library+disabled).answers(Probe{Ended: "it crashed"}), "it crashed"},
		{windowsMachine(t, library, library+disabled).lacks("beta.dll"),
			servicesPrefix + `Beta\Performance : Library = beta.dll: find beta.dll: file does not exist`},
		{windowsMachine(t, library, library+disabled, "\"Open\"=\"OpenBeta\"\n", ""), "no value " + servicesPrefix + `Beta\Performance : Open`},
	} {
		evidence := Examine(c.m).Findings[0].Evidence
		if evidence[1] != "reason: "+c.want {
			t.Errorf("%q, want %s", evidence, c.want)
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
