package diagnosis

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/sorted"
)

// hostChecks are the checks of the system under the counters.
var hostChecks = []check{
	{
		"clock_jumps", Warning,
		"Rates over the moment of a jump are missing or wrong, and logs have samples with misleading times.",
		findClockJumps,
	},
	{
		"processes_hidden", Error,
		"Processes of other accounts are missing, and so are totals over all processes.",
		findProcessesHidden,
	},
	{
		"files_missing", Warning,
		"The objects named in the evidence, or some of their counters, are missing.",
		findFilesMissing,
	},
	{
		"limits_hidden", Note,
		"Memory and Processor show the whole host. The limits of this control group apply earlier: a program " +
			"can be ended or slowed down although these objects show free memory and idle processors.",
		findLimitsHidden,
	},
	{
		"directory_unsafe", Error,
		"Readers ignore the counters published in this directory, or the accounts in this file.",
		findDirectoryUnsafe,
	},
	{
		"object_slow", Warning,
		"Each sample that includes the object takes this long. Short intervals are missed.",
		findObjectSlow,
	},
}

func findClockJumps(v *view, report func(Finding)) {
	var evidence []string
	for _, a := range v.Anomalies {
		if a.Kind == winperf.ClockBack || a.Kind == winperf.ClockSet {
			evidence = append(evidence, a.String())
		}
	}
	if len(evidence) == 0 {
		return
	}

	f := Finding{
		What: "A clock jumped during a measurement of one second.", Evidence: few(evidence),
		Fix: []string{"w32tm /query /status"},
		Risk: "None: the command only reads. Ensure that one program only sets the time, and that it adjusts it " +
			"slowly.",
	}
	if v.Root != nil {
		f.Fix = []string{"timedatectl timesync-status"}
	}
	report(f)
}

// option returns the value of a mount option of the last mount at a directory.
func option(mountinfo, directory, name string) (value string) {
	for line := range strings.Lines(mountinfo) {
		head, tail, _ := strings.Cut(line, " - ")
		words, kind := strings.Fields(head), strings.Fields(tail)
		if len(words) < 5 || words[4] != directory || len(kind) < 3 {
			continue
		}

		value = ""
		for o := range strings.SplitSeq(kind[2], ",") {
			if text, found := strings.CutPrefix(o, name+"="); found {
				value = text
			}
		}
	}
	return value
}

// findProcessesHidden reads the file of another account's process that all accounts may read.
func findProcessesHidden(v *view, report func(Finding)) {
	if v.Root == nil {
		return
	}
	hide := option(v.file("proc/self/mountinfo"), "/proc", "hidepid")
	if hide == "" || hide == "0" || hide == "off" {
		return
	}
	_, err := fs.ReadFile(v.Root, "proc/1/stat")
	if err == nil {
		return
	}

	report(Finding{
		What: "/proc hides the processes of other accounts from this one.",
		Evidence: []string{
			"mount option hidepid=" + hide + " of /proc",
			fmt.Sprintf("process 1 cannot be read: %v", err),
		},
		Fix: []string{"groupadd --system proc", "usermod -aG proc ACCOUNT", "mount -o remount,gid=proc /proc"},
		Risk: "Run as root; ACCOUNT is the account that reads counters. The members of the group see all " +
			"processes and their command lines. The option lasts until the next start, unless /etc/fstab has it. " +
			"It has no effect with hidepid=ptraceable: then only root sees all processes.",
	})
}

// file returns the text of a file of Linux, "" if it cannot be read.
func (v *view) file(name string) string {
	text, _ := fs.ReadFile(v.Root, name) // findFilesMissing reports it
	return string(text)
}

// files are the files below the root that objects need, and how to get them.
var files = []struct{ name, objects, fix, risk string }{
	{"proc/stat", "System, Processor", "mount -t proc proc /proc", mountRisk},
	{"proc/meminfo", "Memory", "mount -t proc proc /proc", mountRisk},
	{"proc/vmstat", "Memory", "mount -t proc proc /proc", mountRisk},
	{"proc/diskstats", "PhysicalDisk, LogicalDisk", "mount -t proc proc /proc", mountRisk},
	{"proc/net/dev", "Network Interface", "mount -t proc proc /proc", mountRisk},
	{"proc/net/snmp", "IPv4, TCPv4, UDPv4, ICMP", "mount -t proc proc /proc", mountRisk},
	{
		"proc/net/snmp6", "IPv6, UDPv6, ICMPv6", "sysctl net.ipv6.conf.all.disable_ipv6=0",
		"The machine gets IPv6 addresses. If the kernel was started with ipv6.disable=1, change its command line.",
	},
	{
		"proc/pressure/cpu", "Pressure Stall",
		`sed -i 's/^GRUB_CMDLINE_LINUX="/&psi=1 /' /etc/default/grub && update-grub`,
		"Run as root. It applies from the next start, and only if the kernel contains pressure stall " +
			"information. Systems without update-grub set psi=1 on the kernel's command line in another way.",
	},
	{
		"proc/self/io", "I/O counters of Process", "grep TASK_IO_ACCOUNTING /boot/config-$(uname -r)",
		"None: the command only reads. The kernel must be built with this option.",
	},
	{
		"proc/self/schedstat", "Processor Wait Time of Process, Thread",
		"grep SCHED_INFO /boot/config-$(uname -r)",
		"None: the command only reads. The kernel must be built with this option.",
	},
	{"sys/block", "PhysicalDisk", "mount -t sysfs sysfs /sys", mountRisk},
	{"sys/class/net", "Current Bandwidth of Network Interface", "mount -t sysfs sysfs /sys", mountRisk},
	{
		"sys/fs/cgroup", "Control Group", "mount -t cgroup2 none /sys/fs/cgroup",
		"Run as root. A system with control groups of version 1 needs no mount.",
	},
}

const mountRisk = "Run as root. In a container, change its configuration instead: it decides which files " +
	"exist."

func findFilesMissing(v *view, report func(Finding)) {
	if v.Root == nil {
		return
	}
	onlyProcesses := option(v.file("proc/self/mountinfo"), "/proc", "subset") == "pid"
	for _, file := range files {
		if onlyProcesses && strings.HasPrefix(file.name, "proc/") {
			file.fix, file.risk = "mount -t proc proc /proc", mountRisk
		}
		if _, err := fs.Stat(v.Root, file.name); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		report(Finding{
			What:     fmt.Sprintf("/%s does not exist.", file.name),
			Evidence: []string{"objects: " + file.objects},
			Fix:      []string{file.fix},
			Risk:     file.risk,
		})
	}
}

// findLimitsHidden compares the limits of the own control group (version 2) with the host.
func findLimitsHidden(v *view, report func(Finding)) {
	if v.Root == nil {
		return
	}

	own := ""
	for line := range strings.Lines(v.file("proc/self/cgroup")) {
		if group, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			own = path.Clean("/" + group)
		}
	}

	var evidence []string
	for group := own; group != ""; group = path.Dir(group) {
		directory := "sys/fs/cgroup" + strings.TrimSuffix(group, "/")
		evidence = append(evidence, v.limits(directory)...)
		if group == "/" {
			break
		}
	}
	if len(evidence) > 0 {
		report(Finding{
			What:     "This program runs in a control group with limits.",
			Evidence: evidence,
			Fix:      []string{`winperf get '\Control Group(*)\*'`},
			Risk:     "None: the command only reads. It shows the use and the limits of each control group.",
		})
	}
}

// limits returns the limits of a control group that are lower than the host.
func (v *view) limits(directory string) (found []string) {
	memory, err := strconv.ParseUint(strings.TrimSpace(v.file(directory+"/memory.max")), 10, 64)
	if err == nil && memory < memoryTotal(v.file("proc/meminfo")) {
		found = append(found, fmt.Sprintf("/%s/memory.max = %d bytes", directory, memory))
	}
	quota := strings.Fields(v.file(directory + "/cpu.max"))
	if len(quota) == 2 && quota[0] != "max" {
		found = append(found, fmt.Sprintf("/%s/cpu.max = %s of each %s µs", directory, quota[0], quota[1]))
	}
	return found
}

// memoryTotal returns the memory of the host in bytes.
func memoryTotal(meminfo string) uint64 {
	for line := range strings.Lines(meminfo) {
		words := strings.Fields(line)
		if len(words) >= 2 && words[0] == "MemTotal:" {
			n, _ := strconv.ParseUint(words[1], 10, 54) // 0 for damaged text: no limit is lower
			return n << 10
		}
	}
	return 0
}

func findDirectoryUnsafe(v *view, report func(Finding)) {
	for _, err := range v.Published {
		f := Finding{
			What:     "The rights of a directory or file for published counters are unsafe or wrong.",
			Evidence: []string{err.Error()},
			Fix:      []string{rightsCommand(err.Error())},
			Risk: "Run as the owner or as root. Programs of other accounts can no longer change the file or " +
				"directory, or remove files of others from it.",
		}
		if v.Root == nil {
			f.Fix = []string{`icacls "%ProgramData%\winperf"`}
			f.Risk = "None: the command only reads. If an account other than SYSTEM and Administrators owns or " +
				"changes the directory, move it away and let an elevated winperf publish create it."
		}
		report(f)
	}
}

var absolutePath = regexp.MustCompile(`/[\w./-]+`)

// rightsCommand returns the command that the message of package publish suggests, or one that only reads.
func rightsCommand(message string) string {
	path := absolutePath.FindString(message)
	for _, mode := range []string{"chmod +t", "chmod go-w"} {
		if strings.Contains(message, "("+mode) && path != "" {
			return mode + " " + path
		}
	}
	return "ls -ld /run/winperf /etc/winperf/publishers"
}

// SlowObject is the time of an object that makes intervals of a second inexact.
const SlowObject = 100 * time.Millisecond

func findObjectSlow(v *view, report func(Finding)) {
	slow := slices.DeleteFunc(slices.Clone(v.Costs), func(c Cost) bool { return c.Time <= SlowObject })
	if len(slow) == 0 {
		return
	}

	// On Windows one slow DLL can make many objects slow.
	sorted.Func(slow, func(a, b Cost) int { return cmp.Compare(b.Time, a.Time) })
	var evidence []string
	for _, c := range slow {
		const form = "%s: %v, the median of 3 samples"
		evidence = append(evidence, fmt.Sprintf(form, c.Object, c.Time.Round(time.Millisecond)))
	}
	command := `winperf watch "\%s(*)\*" -i 10`
	if v.Root != nil {
		command = `winperf watch '\%s(*)\*' -i 10`
	}
	report(Finding{
		What: "Some objects take long to read.", Evidence: few(evidence),
		Fix: []string{fmt.Sprintf(command, slow[0].Object)},
		Risk: "None: the command only reads. Use a longer interval for these objects, or name the needed " +
			"counters.",
	})
}
