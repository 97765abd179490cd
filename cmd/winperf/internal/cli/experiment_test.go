package cli

import (
	"context"
	"os"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/control"
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
