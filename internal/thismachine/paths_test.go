package thismachine

import (
	"os"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

// TestThisMachine: localhost is this machine, where the source reads it live.
func TestThisMachine(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		machine string
		is      winperf.Description
		want    string
	}{
		{"localhost", winperf.Description{Machine: host}, ""},
		{"LocalHost", winperf.Description{}, ""},
		{".", winperf.Description{Machine: host}, ""},
		{host, winperf.Description{Machine: host}, host},
		{"localhost", winperf.Description{Machine: "other-than-" + host}, "localhost"},
		{"localhost", winperf.Description{Machine: host, Recorded: true}, "localhost"},
	} {
		asked := []winperf.Path{{Machine: tt.machine, Object: "System", Counter: "Processes"}}
		got := Paths(asked, tt.is)
		if got[0].Machine != tt.want || asked[0].Machine != tt.machine {
			t.Errorf("%s at %+v is %q, want %q", tt.machine, tt.is, got[0].Machine, tt.want)
		}
	}
}

// TestSame: a name is that of a host with or without domains, and where Windows cut it.
func TestSame(t *testing.T) {
	for _, tt := range []struct {
		name, host string
		want       bool
	}{
		{"WEB1", "web1", true},
		{"WEB1", "web1.example.org", true},
		{"web1.example.org", "web1", true},
		{"WEB1", "web2", false},
		{"AVERYLONGHOSTNA", "averylonghostname", true},
		{"AVERYLONGHOSTN", "averylonghostname", false},
		{"AVERYLONGHOSTNA", "averylonghostXX", false},
	} {
		if got := same(tt.name, tt.host); got != tt.want {
			t.Errorf("%s is %s: %v, want %v", tt.name, tt.host, got, tt.want)
		}
	}
}

// TestName: this machine is called as its system calls it, a record and another machine as the source does.
func TestName(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	short, _, _ := strings.Cut(host, ".")
	upper := strings.ToUpper(short)
	for _, tt := range []struct {
		is   winperf.Description
		want string
	}{
		{winperf.Description{}, host},
		{winperf.Description{Machine: upper}, host},
		{winperf.Description{Machine: upper, Recorded: true}, upper},
		{winperf.Description{Machine: "OTHER-" + upper}, "OTHER-" + upper},
		{winperf.Description{Recorded: true}, ""},
	} {
		if got := Name(tt.is); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.is, got, tt.want)
		}
	}
}
