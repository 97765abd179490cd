package diagnosis

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf/internal/regfile"
)

// rightsChecks are the checks of rights and services.
var rightsChecks = []check{
	{
		"key_denied", Error,
		"Programs of this account miss the names or objects below these keys.",
		findKeyDenied,
	},
	{
		"key_rights", Warning,
		"Programs and services of these accounts miss names or objects, although administrators see them.",
		findKeyRights,
	},
	{
		"objects_denied", Warning,
		"Programs of this account miss the objects of this provider. Administrators see them.",
		perProvider("The provider %s denies access to this account.", objectsDenied, Finding.joinFor),
	},
	{
		"account_groups", Note,
		"The account cannot read counters of other machines, nor the published counters of other accounts. Some " +
			"providers deliver nothing to it.",
		findAccountGroups,
	},
	{
		"service_disabled", Warning,
		"The tasks of the service are not available.",
		findServiceDisabled,
	},
}

func findKeyDenied(v *view, report func(Finding)) {
	if len(v.denied) > 0 {
		report(Finding{
			What:     "This account may not read registry keys of performance counters.",
			Evidence: few(v.denied),
		}.join(" If the keys are still unreadable, an administrator changed their rights: compare them in " +
			"regedit with a key that works."))
	}
}

func objectsDenied(v *view, p *provider) []string {
	for _, s := range v.Probes[p.name].Steps {
		if s.Denied {
			return []string{fmt.Sprintf("%s: %s", s.Name, s.Error)}
		}
	}
	return nil
}

func findAccountGroups(v *view, report func(Finding)) {
	if v.Groups != nil && len(v.Groups) == 0 {
		report(Finding{
			What: "This account is in no group for performance counters.",
			Evidence: []string{
				"not a member of Administrators, Performance Monitor Users or Performance Log Users",
			},
		}.join(""))
	}
}

// services are the services that performance counters need, and their tasks.
var services = []struct{ name, task string }{
	{"PerfHost", "DLLs of the other processor type"},
	{"pla", "data collector sets, logman and logs of Performance Monitor"},
	{"Winmgmt", "counters as WMI classes (Win32_PerfFormattedData)"},
}

// serviceDisabled is SERVICE_DISABLED (winsvc.h).
const serviceDisabled = 4

func findServiceDisabled(v *view, report func(Finding)) {
	if !v.services {
		return
	}
	for _, s := range services {
		key := regfile.Services + `\` + s.name
		if v.number("services", key, "Start") != serviceDisabled {
			continue
		}
		report(Finding{
			What:     fmt.Sprintf("The service %s is disabled. It provides %s.", s.name, s.task),
			Evidence: []string{fmt.Sprintf("%s : Start = %d", hklm+key, serviceDisabled)},
			Fix:      []string{fmt.Sprintf("sc config %s start= demand", strings.ToLower(s.name))},
			Risk:     elevated + "The service can run again. If a policy disabled it, the policy does so again.",
		})
	}
}
