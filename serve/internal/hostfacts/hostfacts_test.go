package hostfacts

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

// TestRead: this machine has the facts that its system can tell.
func TestRead(t *testing.T) {
	f := facts(winperf.HostFiles{})
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	host, _, _ = strings.Cut(host, ".")
	if !strings.EqualFold(f.Hostname, host) || f.FQDN == "" {
		t.Errorf("names %q, %q, %q, want %q", f.Hostname, f.Domain, f.FQDN, host)
	}

	if f.LogicalProcessors < runtime.NumCPU() {
		t.Errorf("%d logical processors, and this program may use %d", f.LogicalProcessors, runtime.NumCPU())
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		return
	}
	if f.PhysicalMemory < 1<<24 || f.Version == "" || f.Product == "" || f.ProcessLimit == 0 {
		t.Errorf("%+v", f)
	}
	if f.Boot.IsZero() || f.Boot.After(time.Now()) {
		t.Errorf("booted at %v", f.Boot)
	}
}

// TestFor: a record and another machine have none of this machine's facts.
func TestFor(t *testing.T) {
	if got := For(winperf.Description{}); got.Hostname == "" {
		t.Errorf("this machine: %+v", got)
	}
	for _, is := range []winperf.Description{{Recorded: true}, {Machine: "other-than-this"}} {
		if got := For(is); got != (metrics.Facts{}) {
			t.Errorf("%+v: %+v", is, got)
		}
	}
}

// TestUsers: user ids of this machine have names, those of others none.
func TestUsers(t *testing.T) {
	if UsersFor(winperf.Description{Recorded: true}) != nil || UsersFor(winperf.Description{Machine: "other"}) != nil {
		t.Error("a log or another machine has users")
	}
	if runtime.GOOS != "linux" {
		return
	}
	name := UsersFor(winperf.Description{})
	if root, unknown := name(0), name(4_000_000_000); root != "root" || unknown != "" {
		t.Errorf("users %q and %q", root, unknown)
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ host, domain, full, wantHost, wantDomain, wantFull string }{
		{"", "", "", "", "", ""},
		{"web1", "", "", "web1", "", "web1"},
		{"web1", "example.org", "", "web1", "example.org", "web1.example.org"},
		{"web1.example.org", "", "", "web1", "example.org", "web1.example.org"},
		{"WEB1", "example.org", "WEB1.example.org", "WEB1", "example.org", "WEB1.example.org"},
	} {
		host, domain, full := names(tt.host, tt.domain, tt.full)
		if host != tt.wantHost || domain != tt.wantDomain || full != tt.wantFull {
			t.Errorf("%+v: %q, %q, %q", tt, host, domain, full)
		}
	}
}

func TestProduct(t *testing.T) {
	for _, tt := range []struct{ name, build, want string }{
		{"Windows 10 Pro", "19045", "Windows 10 Pro"},
		{"Windows 10 Pro", "22631", "Windows 11 Pro"},
		{"Windows Server 2022 Datacenter", "20348", "Windows Server 2022 Datacenter"},
		{"Windows 7", "x", "Windows 7"},
	} {
		if got := product(tt.name, tt.build); got != tt.want {
			t.Errorf("%s of build %s is %q, want %q", tt.name, tt.build, got, tt.want)
		}
	}
}

// TestOwnersFor: only processes of this machine have owners, on Windows.
func TestOwnersFor(t *testing.T) {
	if OwnersFor(winperf.Description{Recorded: true}) != nil || OwnersFor(winperf.Description{Machine: "other"}) != nil {
		t.Error("a log or another machine has owners")
	}
	if of := OwnersFor(winperf.Description{}); (of != nil) != (runtime.GOOS == "windows") {
		t.Errorf("on %s: %v", runtime.GOOS, of != nil)
	}
}

// TestCommandLinesFor: only processes of this machine have command lines.
func TestCommandLinesFor(t *testing.T) {
	if CommandLinesFor(winperf.Description{Recorded: true}) != nil ||
		CommandLinesFor(winperf.Description{Machine: "other"}) != nil {
		t.Error("a log or another machine has command lines")
	}
	supported := runtime.GOOS == "windows" || runtime.GOOS == "linux"
	if of := CommandLinesFor(winperf.Description{}); (of != nil) != supported {
		t.Errorf("on %s: %v", runtime.GOOS, of != nil)
	}
}

// TestSafeCommandLine: a command line is one line of valid text with a limited length.
func TestSafeCommandLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\x00-b\x00c d\x00": "a -b c d", "a\nb\x1b[0m": "a b [0m", "x\xffä": "x\uFFFDä", "\x00\x00": "",
		strings.Repeat("ä", 2000): strings.Repeat("ä", 1024),
	} {
		if got := safeCommandLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestControlGroup: files of both versions give the names of the object Control Group.
func TestControlGroup(t *testing.T) {
	for text, want := range map[string]string{
		"0::/system.slice/ssh.service\n": "/system.slice/ssh.service",
		"0::/\n":                         "/",
		"12:pids:/user.slice\n3:cpu,cpuacct:/\n1:name=systemd:/user.slice/a.scope\n0::/x\n": "/x",
		"12:pids:/user.slice\n1:name=systemd:/user.slice/a.scope\n0::/\n":                   "/user.slice/a.scope",
		"4:memory:/docker/1\n3:cpu:/docker\n1:name=systemd:/\n0::/\n":                       "/docker/1",
		"0::/a:b\n": "/a:b",
		"0::/system.slice/my #1 (odd)\\x2dname é.service\n": "/system.slice/my _1 [odd]_x2dname é.service",
		"0::/bad\xff\t*\n":     "/bad\ufffd__",
		"0::/gone (deleted)\n": "/gone",
		"":                     "", "0::\n": "", "nonsense": "", "0::relative\n": "",
	} {
		if got := controlGroup(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestControlGroups: this process has a control group on Linux; an ended one, a log and another machine have
// none.
func TestControlGroups(t *testing.T) {
	if ControlGroupsFor(winperf.Description{Recorded: true}) != nil ||
		ControlGroupsFor(winperf.Description{Machine: "other"}) != nil {
		t.Error("a log or another machine has control groups")
	}
	of := ControlGroupsFor(winperf.Description{})
	if of == nil != (runtime.GOOS != "linux") {
		t.Fatalf("on %s: %v", runtime.GOOS, of != nil)
	}
	if of == nil {
		return
	}
	if text, err := os.ReadFile("/proc/self/cgroup"); err != nil {
		t.Skip(err)
	} else if got := of(uint64(os.Getpid())); got == "" || got != controlGroup(string(text)) {
		t.Errorf("this process is in %q: %s", got, text)
	}
	if got := of(1 << 40); got != "" {
		t.Errorf("a process that does not exist is in %q", got)
	}
}
