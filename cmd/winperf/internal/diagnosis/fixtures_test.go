package diagnosis

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/wire"
)

// healthy is the registry of a machine without faults. names: is a table as index=text, and becomes the
// MULTI_SZ of a real file.
const healthy = `Windows Registry Editor Version 5.00

[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib]
"Last Counter"=dword:000007d8
"Last Help"=dword:000007d9

[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\009]
"Counter"=names:1=1846,2=System,2000=Alpha,2002=Jobs,2004=Queues,2006=Beta,2008=Disks
"Help"=names:3=The system.,2001=About Alpha.,2009=Their number.

[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\007]
"Counter"=names:1=1846,2=System,2000=Alpha,2002=Aufgaben,2004=Schlangen,2006=Beta,2008=Platten
"Help"=names:3=Das System.

[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\_V2Providers\{11111111-1111-1111-1111-111111111111}]
"ProviderName"="Gamma"
"ApplicationIdentity"="C:\\gamma\\gamma.dll"

[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\_V2Providers\{11111111-1111-1111-1111-111111111111}\{22222222-2222-2222-2222-222222222222}]

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Alpha\Performance]
"Library"="C:\\alpha\\alpha.dll"
"Open"="OpenAlpha"
"Collect"="CollectAlpha"
"Close"="CloseAlpha"
"First Counter"=dword:000007d0
"Last Counter"=dword:000007d4
"First Help"=dword:000007d1
"Last Help"=dword:000007d5
"Object List"="2000"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Beta\Performance]
"Library"="beta.dll"
"Open"="OpenBeta"
"Collect"="CollectBeta"
"Close"="CloseBeta"
"First Counter"=dword:000007d6
"Last Counter"=dword:000007d8
"First Help"=dword:000007d7
"Last Help"=dword:000007d9

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\PerfProc\Performance]
"Library"="perfproc.dll"
"Open"="OpenSysProcessObject"
"Collect"="CollectSysProcessObjectData"
"Close"="CloseSysProcessObject"
"Object List"="230 232"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\PerfHost]
"Start"=dword:00000003

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Removed\Performance]
`

const x64 = 0x8664

var gamma = winperf.GUID{
	0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22,
}

var gammaProvider = winperf.GUID{
	0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
}

// manifest is the manifest of a provider with one set.
func manifest(provider, set winperf.GUID) []*regfile.Manifest {
	s := regfile.ManifestSet{GUID: set}
	s.Name = "Rays"
	return []*regfile.Manifest{{
		File: "gamma.man", Providers: []regfile.ManifestProvider{{GUID: provider, Sets: []regfile.ManifestSet{s}}},
	}}
}

// windowsMachine is a machine with the registry of a text with replacements: old, new, old, new.
func windowsMachine(t *testing.T, changes ...string) *Machine {
	t.Helper()
	text := healthy
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("the registry does not contain %q", changes[i])
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}

	export := &Export{}
	if err := errors.Join(export.Read("healthy.reg", strings.NewReader(withTables(text))),
		errors.Join(export.Damage()...)); err != nil {
		t.Fatal(err)
	}
	good := Probe{Steps: []Step{{Name: "load"}, {Name: "Open"}, {Name: "Collect", Time: time.Second}, {Name: "Close"}}}
	alpha := good
	alpha.Objects = []uint32{2000}
	return &Machine{
		Registry: export, Processor: x64, Groups: []string{"Performance Monitor Users"},
		Library: func(string) (uint16, error) { return x64, nil }, Sets: []winperf.GUID{gamma},
		Probes: map[string]Probe{"Alpha": alpha, "Beta": good, "PerfProc": good},
	}
}

// withTables replaces names: by the bytes of a MULTI_SZ, in lines as regedit wraps them.
func withTables(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		name, pairs, found := strings.Cut(line, "=names:")
		if !found {
			continue
		}
		var data []byte
		for pair := range strings.SplitSeq(pairs, ",") {
			index, text, _ := strings.Cut(pair, "=")
			data = wire.AppendUTF16Z(wire.AppendUTF16Z(data, index), text)
		}
		data = append(data, 0, 0)

		digits := hex.EncodeToString(data)
		var bytes []string
		for k := 0; k < len(digits); k += 2 {
			bytes = append(bytes, digits[k:k+2])
		}
		var wrapped []string
		for len(bytes) > 25 {
			wrapped = append(wrapped, strings.Join(bytes[:25], ",")+`,\`)
			bytes = bytes[25:]
		}
		lines[i] = name + "=hex(7):" + strings.Join(append(wrapped, strings.Join(bytes, ",")), "\n  ")
	}
	return strings.Join(lines, "\n")
}

// linuxMachine is a Linux host with all files. changes are pairs of a name and a new text; "-" removes.
func linuxMachine(changes ...string) *Machine {
	root := fstest.MapFS{}
	for _, f := range files {
		root[f.name] = &fstest.MapFile{}
	}
	for name, text := range map[string]string{
		"proc/self/mountinfo":             "21 1 0:20 / /proc rw,nosuid shared:1 - proc proc rw\n",
		"proc/1/stat":                     "1 (init) S 0\n",
		"proc/meminfo":                    "MemTotal:        8388608 kB\n",
		"proc/self/cgroup":                "0::/app.slice\n",
		"sys/fs/cgroup/app.slice/cpu.max": "max 100000\n",
		"sys/fs/cgroup/memory.max":        "max\n",
	} {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}

	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == "-" {
			delete(root, changes[i])
			continue
		}
		root[changes[i]] = &fstest.MapFile{Data: []byte(changes[i+1])}
	}
	return &Machine{Root: root, Costs: []Cost{{"System", 2 * time.Millisecond}}}
}

// lacks returns a machine on which a DLL is missing.
func (m *Machine) lacks(library string) *Machine {
	m.Library = func(path string) (uint16, error) {
		if path == library {
			return 0, &fs.PathError{Op: "find", Path: path, Err: fs.ErrNotExist}
		}
		return x64, nil
	}
	return m
}

// answers returns a machine on which the probe of Beta has another result.
func (m *Machine) answers(p Probe) *Machine {
	m.Probes["Beta"] = p
	return m
}

// denying is a registry with a key that the account may not read.
type denying struct {
	Registry
	key string
	err error
}

func (d denying) Keys(path string) ([]string, error) {
	if path == d.key {
		return nil, d.err
	}
	return d.Registry.Keys(path)
}

// fixture is a machine that shows a finding, and a similar one that does not.
type fixture struct {
	shows, healthy *Machine
	what           string // of the finding
	evidence       string // its first line
}

const servicesPrefix = `HKLM\SYSTEM\CurrentControlSet\Services\`

func fixtures(t *testing.T) map[string]fixture {
	t.Helper()
	windows := func(changes ...string) *Machine { return windowsMachine(t, changes...) }
	denies := func(err error) *Machine {
		m := windows()
		m.Registry = denying{m.Registry, `SYSTEM\CurrentControlSet\Services\Beta\Performance`, err}
		return m
	}
	with := func(m *Machine, change func(*Machine)) *Machine { change(m); return m }
	anomalies := func(kind winperf.AnomalyKind) *Machine {
		return with(windows(), func(m *Machine) { m.Anomalies = []winperf.Anomaly{{Kind: kind, Detail: "by 5s"}} })
	}
	calls := func(s Step) Probe { return Probe{Steps: []Step{{Name: "load"}, s}} }
	const beta = `"Library"="beta.dll"`
	hidden := "21 1 0:20 / /proc rw - proc proc rw,gid=9,hidepid=invisible\n"

	return map[string]fixture{
		"counters_disabled": {
			shows:    windows(`"Last Help"`, "\"Disable Performance Counters\"=dword:00000001\n\"Last Help\""),
			healthy:  windows(`"Last Help"`, "\"Disable Performance Counters\"=dword:00000000\n\"Last Help\""),
			what:     "All version 1 providers are disabled on this machine.",
			evidence: `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib : Disable Performance Counters = 1`,
		},
		"names_missing": {
			shows:    windows(`Perflib\009`, `Perflib\00C`),
			healthy:  windows(`Perflib\007`, `Perflib\00C`),
			what:     "The English name tables are missing or empty.",
			evidence: `no key HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\009`,
		},
		"names_damaged": {
			shows:    windows("2002=Jobs", "2002=Jobs,2002=Works"),
			healthy:  windows("2=System,2000=Alpha,2002=Jobs", "2000=Alpha,2=System,2002=Jobs"), // only out of order
			what:     "The name tables of language 009 are damaged.",
			evidence: "name table: byte 74: found index 2002 after 2002, expected each index once; took the later text",
		},
		"names_above_last": {
			shows:    windows("000007d9", "000007d7"),
			healthy:  windows("2009=Their number.", "2007=Their number."),
			what:     "The name tables contain title indices above the highest one that Windows recorded.",
			evidence: `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib : Last Help = 2007, but the English table contains index 2009`,
		},
		"names_disagree": {
			shows:    windows(",2008=Platten", ",2012=Alt"),
			healthy:  windows("2006=Beta,2008=Platten", "2004=Schlangen"), // Beta has only English names
			what:     "The names of language 007 do not have the same title indices as English.",
			evidence: "missing in 007: 2008",
		},
		"process_disabled": {
			shows:    windows(`"Library"="perfproc.dll"`, "\"Library\"=\"perfproc.dll\"\n\"Disable Performance Counters\"=dword:00000001"),
			healthy:  windows(beta, beta+"\n\"Disable Performance Counters\"=dword:00000001"),
			what:     "The provider PerfProc is disabled.",
			evidence: servicesPrefix + `PerfProc\Performance : Disable Performance Counters = 1`,
		},
		"provider_disabled": {
			shows:    windows(beta, beta+"\n\"Disable Performance Counters\"=dword:00000001"),
			healthy:  windows(beta, beta+"\n\"Disable Performance Counters\"=dword:00000000"),
			what:     "The provider Beta is disabled.",
			evidence: servicesPrefix + `Beta\Performance : Disable Performance Counters = 1`,
		},
		"library_missing": {
			shows:    windows().lacks("beta.dll"),
			healthy:  windows().lacks("other.dll"),
			what:     "The DLL of the provider Beta does not exist.",
			evidence: servicesPrefix + `Beta\Performance : Library = beta.dll: find beta.dll: file does not exist`,
		},
		"library_bitness": {
			shows:    with(windows(), func(m *Machine) { m.Library = processorOf(0x14c) }),
			healthy:  with(windows(), func(m *Machine) { m.Processor, m.Library = 0xaa64, processorOf(0xaa64) }),
			what:     "The DLL of the provider Beta is for another processor type.",
			evidence: "beta.dll is for x86, this winperf is for x64",
		},
		"entry_missing": {
			shows:    windows("\"Open\"=\"OpenBeta\"\n", "", "\"Close\"=\"CloseBeta\"\n", ""),
			healthy:  windows("OpenBeta", "BetaOpen"),
			what:     "The key of the provider Beta does not name all functions of its DLL.",
			evidence: "no value " + servicesPrefix + `Beta\Performance : Open`,
		},
		"range_invalid": {
			shows:    windows("\"First Help\"=dword:000007d7", "\"First Help\"=dword:000007d8"),
			healthy:  windows("\"First Help\"=dword:000007d7", "\"First Help\"=dword:000007d5"),
			what:     "The provider Beta has an impossible range of title indices.",
			evidence: "First Help = 2008, Last Help = 2009, expected rising odd numbers",
		},
		"range_overlap": {
			shows:    windows("\"First Counter\"=dword:000007d6", "\"First Counter\"=dword:000007d4"),
			healthy:  windows("\"First Counter\"=dword:000007d6", "\"First Counter\"=dword:000007d8"),
			what:     "The title indices of the providers Alpha and Beta overlap.",
			evidence: "Alpha: 2000 to 2004",
		},
		"range_unnamed": {
			shows:    windows("2006=Beta,2008=Disks", "2008=Disks", "2006=Beta,", ""),
			healthy:  windows("2006=Beta,2008=Disks", "2006=Delta,2008=Disks"),
			what:     "The English name table lacks names of the provider Beta.",
			evidence: "title indices 2006 to 2008, name of the first: false, of the last: true",
		},
		"objects_outside_range": {
			shows:    windows(`"Object List"="2000"`, `"Object List"="2000 2006"`),
			healthy:  windows(`"Object List"="2000"`, `"Object List"="2000 2004"`),
			what:     "The provider Alpha has objects outside of its range of title indices.",
			evidence: "Object List contains 2006, the range is 2000 to 2004",
		},
		"provider_failed": {
			shows:    windows().answers(calls(Step{Name: "Open", Error: "error 2"})),
			healthy:  windows().answers(calls(Step{Name: "Open"})),
			what:     "The DLL of the provider Beta fails.",
			evidence: "beta.dll",
		},
		"provider_slow": {
			shows:    windows().answers(calls(Step{Name: "Open", Time: 1500 * time.Millisecond})),
			healthy:  windows().answers(calls(Step{Name: "Open", Time: time.Second})),
			what:     "The provider Beta is slow.",
			evidence: "Open took 1.5s",
		},
		"provider_lies": {
			shows:    windows().answers(Probe{Lies: []string{"it wrote outside of the buffer"}}),
			healthy:  windows().answers(Probe{Objects: []uint32{2006}}),
			what:     "The data of the provider Beta contradict their lengths.",
			evidence: "it wrote outside of the buffer",
		},
		"set_binary_missing": {
			shows:   windows().lacks(`C:\gamma\gamma.dll`),
			healthy: windows("\"ApplicationIdentity\"=\"C:\\\\gamma\\\\gamma.dll\"\n", "").lacks(`C:\gamma\gamma.dll`),
			what: "The file with the texts of the version 2 provider Gamma {11111111-1111-1111-1111-111111111111} " +
				"does not exist.",
			evidence: `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\_V2Providers\` +
				`{11111111-1111-1111-1111-111111111111} : ApplicationIdentity = C:\gamma\gamma.dll`,
		},
		"set_unlisted": {
			shows:   with(windows(), func(m *Machine) { m.Sets = []winperf.GUID{} }),
			healthy: with(windows(), func(m *Machine) { m.Sets = nil }), // not read
			what: "Windows does not list counter sets of the version 2 provider Gamma " +
				"{11111111-1111-1111-1111-111111111111}.",
			evidence: "registered, but not listed: {22222222-2222-2222-2222-222222222222}",
		},
		"set_unregistered": {
			shows:    with(windows(), func(m *Machine) { m.Manifests = manifest(gamma, winperf.GUID{1}) }),
			healthy:  with(windows(), func(m *Machine) { m.Manifests = manifest(gammaProvider, gamma) }),
			what:     "The counter set Rays of the manifest gamma.man is not registered for its provider.",
			evidence: "set {00000001-0000-0000-0000-000000000000}, provider {22222222-2222-2222-2222-222222222222}: it is not registered",
		},
		"key_denied": {
			shows:    denies(fs.ErrPermission),
			healthy:  denies(errors.New("error 1018")),
			what:     "This account may not read registry keys of performance counters.",
			evidence: servicesPrefix + `Beta\Performance`,
		},
		"key_rights": {
			shows:    with(windows(), grants(perflibKey, Access{"S-1-5-32-558", false, 0x20019}, Access{"S-1-5-6", false, genericRead})),
			healthy:  with(windows(), grants(perflibKey, Access{"S-1-5-11", false, 0x20019})),
			what:     "Accounts that read counters have no right to read keys of performance counters.",
			evidence: `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib: Performance Log Users`,
		},
		"objects_denied": {
			shows:    windows().answers(calls(Step{Name: "Open", Error: "error 5", Denied: true})),
			healthy:  windows().answers(calls(Step{Name: "Open"})),
			what:     "The provider Beta denies access to this account.",
			evidence: "Open: error 5",
		},
		"account_groups": {
			shows:    with(windows(), func(m *Machine) { m.Groups = []string{} }),
			healthy:  with(windows(), func(m *Machine) { m.Groups = []string{"Administrators"} }),
			what:     "This account is in no group for performance counters.",
			evidence: "not a member of Administrators, Performance Monitor Users or Performance Log Users",
		},
		"service_disabled": {
			shows:    windows(`"Start"=dword:00000003`, `"Start"=dword:00000004`),
			healthy:  windows(`"Start"=dword:00000003`, `"Start"=dword:00000002`),
			what:     "The service PerfHost is disabled. It provides DLLs of the other processor type.",
			evidence: servicesPrefix + `PerfHost : Start = 4`,
		},
		"clock_jumps": {
			shows:    anomalies(winperf.ClockBack),
			healthy:  anomalies(winperf.InstancesAdded),
			what:     "A clock jumped during a measurement of one second.",
			evidence: "clock_back: by 5s",
		},
		"processes_hidden": {
			shows:    linuxMachine("proc/self/mountinfo", hidden, "proc/1/stat", "-"),
			healthy:  linuxMachine("proc/self/mountinfo", hidden), // for root
			what:     "/proc hides the processes of other accounts from this one.",
			evidence: "mount option hidepid=invisible of /proc",
		},
		"files_missing": {
			shows:    linuxMachine("proc/net/snmp6", "-"),
			healthy:  linuxMachine("proc/net/snmp6", ""),
			what:     "/proc/net/snmp6 does not exist.",
			evidence: "objects: IPv6, UDPv6, ICMPv6",
		},
		"limits_hidden": {
			shows: linuxMachine("sys/fs/cgroup/app.slice/cpu.max", "50000 100000\n",
				"sys/fs/cgroup/memory.max", "4294967296\n"),
			healthy:  linuxMachine("sys/fs/cgroup/memory.max", "8589934592\n"), // as much as the host has
			what:     "This program runs in a control group with limits.",
			evidence: "/sys/fs/cgroup/app.slice/cpu.max = 50000 of each 100000 µs",
		},
		"directory_unsafe": {
			shows:    with(linuxMachine(), func(m *Machine) { m.Published = []error{errors.New("/run/winperf is writable")} }),
			healthy:  linuxMachine(),
			what:     "The rights of a directory or file for published counters are unsafe or wrong.",
			evidence: "/run/winperf is writable",
		},
		"object_slow": {
			shows:    with(linuxMachine(), func(m *Machine) { m.Costs = []Cost{{"Process", 250 * time.Millisecond}} }),
			healthy:  with(linuxMachine(), func(m *Machine) { m.Costs = []Cost{{"Process", 100 * time.Millisecond}} }),
			what:     "Some objects take long to read.",
			evidence: "Process: 250ms, the median of 3 samples",
		},
	}
}

// grants sets the rights of a key. Everyone can read the others.
func grants(key string, list ...Access) func(*Machine) {
	return func(m *Machine) {
		m.Rights = func(path string) ([]Access, error) {
			if path == key {
				return list, nil
			}
			return []Access{{"S-1-1-0", false, genericAll}}, nil
		}
	}
}

// processorOf returns the processor of beta.dll; other DLLs have the one of the machine.
func processorOf(processor uint16) func(string) (uint16, error) {
	return func(path string) (uint16, error) {
		if path == "beta.dll" || processor == 0xaa64 {
			return processor, nil
		}
		return x64, nil
	}
}
