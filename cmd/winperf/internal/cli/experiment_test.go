package cli

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/control"
)

// listener is a program that lets experiments be attached to it, and emits an event again
// and again until there is a file of the name stop.
func listener() {
	server, err := control.Listen(context.Background(), control.Options{Name: "shop"})
	exitOn(err)
	experiment.Process().Declare("checkout", "startup")
	for {
		experiment.Event(context.Background(), "checkout")
		time.Sleep(5 * time.Millisecond)
		if _, err := os.Stat("stop"); err == nil {
			exitOn(server.Close())
			os.Exit(0)
		}
	}
}

// polls runs a command again and again until what it writes fits a pattern:
//
//	polls REGEXP COMMAND [ARG...]
func polls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: polls REGEXP COMMAND [ARG...]")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for end := time.Now().Add(hostileLimit); ; time.Sleep(20 * time.Millisecond) {
		_ = ts.Exec(args[1], args[2:]...) // it may fail at first
		text := ts.ReadFile("stdout")
		if pattern.MatchString(text) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("after %v %v still writes %s", hostileLimit, args[1:], text)
		}
	}
}

// A source of events is shown with what it is about, where it has that.
func TestDescribeExperiment(t *testing.T) {
	var b strings.Builder
	describeExperiment(func(form string, args ...any) { fmt.Fprintf(&b, form, args...) }, &control.Experiment{
		Sources: []control.SourceState{
			{Name: "a", Kind: "lines", Emitted: 2}, {Name: "b", Kind: "lines", Detail: "/tmp/pipe", Error: "gone"},
		},
	})
	want := "  source    a: lines; 2 events\n  source    b: lines /tmp/pipe; 0 events; gone\n"
	if _, got, _ := strings.Cut(b.String(), "\n"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Two programs are told apart, whatever their arguments end with.
func TestRouteName(t *testing.T) {
	for name, want := range map[string]string{
		"results":                           "results",
		"/var/tmp/out.csv":                  "out.csv",
		"/var/my files/out.csv":             "my files/out.csv",
		"http://host/path/in":               "in",
		"gzip":                              "gzip",
		"/bin/sh -c cat >/dev/null":         "sh -c cat >/dev/null",
		"sh -c " + strings.Repeat("é/", 40): "sh -c " + strings.Repeat("é/", 27) + "...",
	} {
		if got := routeName(name); got != want {
			t.Errorf("%s is shown as %s, want %s", name, got, want)
		}
	}
}
