package diagnosis

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf/internal/regfile"
)

// backup saves the name tables and ranges of all providers.
const backup = "lodctr /S:counters-before.ini"

const elevated = "All commands need an elevated prompt. "

// rebuild fills the repair of damaged name tables. lodctr /R drops providers, so it is only suggested
// with their list and after a backup.
func (v *view) rebuild(f Finding) Finding {
	if v.incomplete {
		f.Fix = []string{
			`reg export HKLM\` + regfile.Services + ` services.reg`,
			"winperf doctor perflib.reg services.reg",
		}
		f.Risk = "None: the commands only read. Run them elevated. The repair can drop providers, so doctor " +
			"needs the keys of all providers first."
		return f
	}

	var lost []string
	for _, p := range v.providers {
		if p.named() {
			lost = append(lost, p.name)
		}
	}
	providers := "none"
	if len(lost) > 0 {
		providers = strings.Join(lost, ", ")
	}

	f.Fix = []string{backup, "lodctr /R"}
	f.Risk = elevated + "lodctr /R makes the tables anew from the .ini files on this machine. It can give " +
		"other title indices to all providers. Providers whose .ini file is no longer in %SystemRoot%\\inf are " +
		"lost. Providers with names in the tables: " + providers + ". " +
		"lodctr /R:counters-before.ini restores the old state. On 64-bit Windows, run the second command also in " +
		"%SystemRoot%\\SysWOW64."
	return f
}

// reinstall fills the repair of a provider's names.
func (f Finding) reinstall(p *provider) Finding { return f.reinstallAll(p) }

func (f Finding) reinstallAll(providers ...*provider) Finding {
	f.Fix = []string{backup}
	for _, p := range providers {
		f.Fix = append(f.Fix, fmt.Sprintf(`unlodctr "%s"`, p.name), fmt.Sprintf(`lodctr "%s.ini"`, p.name))
	}
	f.Risk = elevated + "Run lodctr in the directory of the .ini file that was installed with the provider, " +
		"and replace its name if it differs. Without this file the provider loses its names. Its title indices " +
		"change: restart programs that read its counters. lodctr /R:counters-before.ini restores the old state."
	return f
}

// uninstall fills the repair of a provider whose DLL does not work.
func (f Finding) uninstall(p *provider) Finding {
	f.Fix = []string{backup, fmt.Sprintf(`unlodctr "%s"`, p.name)}
	f.Risk = elevated + "The counters of " + p.name + " are removed. If they are needed, repair or reinstall " +
		"its program instead. lodctr /R:counters-before.ini restores the names."
	return f
}

// enable fills the repair of disabled counters.
func (f Finding) enable(key string) Finding {
	f.Fix = []string{fmt.Sprintf(`reg delete "%s" /v "%s" /f`, hklm+key, disable)}
	f.Risk = elevated + "If Windows disabled the counters because a DLL failed, the DLL can fail again, and " +
		"slow down or end the programs that read counters. Repair the other findings first."
	return f
}

// withoutProvider fills the repair of a provider whose DLL does harm.
func (f Finding) withoutProvider(p *provider) Finding {
	f.Fix = []string{fmt.Sprintf(`reg add "%s" /v "%s" /t REG_DWORD /d 1 /f`, hklm+p.key, disable)}
	f.Risk = elevated + "Windows no longer loads the DLL: programs are safe from it, and its counters are " +
		"missing. An update of the program that installed it can repair it. Delete the value to enable it again."
	return f
}

func (f Finding) enableProvider(p *provider) Finding { return f.enable(p.key) }

// readOtherType fills the check of the service that loads DLLs of another processor type.
func (f Finding) readOtherType(*provider) Finding {
	f.Fix = []string{"sc query PerfHost"}
	f.Risk = "None: the command only reads. Install the version of the provider's program for this Windows."
	return f
}

// join fills the repair of missing rights.
func (f Finding) join(more string) Finding {
	f.Fix = []string{`net localgroup "Performance Monitor Users" "%USERDOMAIN%\%USERNAME%" /add`}
	f.Risk = elevated + "Replace the name if another account reads the counters, and sign in again. The group " +
		"lets the account read counters of all programs." + more
	return f
}

func (f Finding) joinFor(*provider) Finding {
	return f.join(" Some providers accept only administrators: run the reading program elevated if the group " +
		"does not suffice.")
}
