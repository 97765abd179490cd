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
	f := Read()
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
