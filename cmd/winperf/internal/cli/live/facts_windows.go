package live

import (
	"math"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

var factNames = []string{factUser, factCommand}

// factReader returns a reader that asks the system about a process.
func factReader(winperf.HostFiles) func(pid uint64) map[string]string {
	kernel := winapi.NewDLL("kernel32.dll")
	accounts := winapi.NewAccounts(kernel, winapi.NewDLL("advapi32.dll"))
	return factReaderOf(accounts, winapi.NewCommandLines(kernel, winapi.NewDLL("ntdll.dll")))
}

func factReaderOf(
	accounts *winapi.Accounts, commands *winapi.CommandLines,
) func(pid uint64) map[string]string {
	users := map[winapi.SID]string{}
	return func(pid uint64) map[string]string {
		if pid > math.MaxUint32 {
			return nil
		}

		texts := map[string]string{}
		texts[factCommand], _ = commands.CommandLine(uint32(pid)) // "" if it may not be read
		sid, err := accounts.ProcessUser(uint32(pid))
		if err != nil {
			return texts
		}

		if _, known := users[sid]; !known {
			users[sid] = ""
			if domain, name, err := accounts.AccountName(sid); err == nil {
				users[sid] = domain + `\` + name
			}
		}
		texts[factUser] = users[sid]
		return texts
	}
}
