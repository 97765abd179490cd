package main

import (
	"os"
	"strings"
	"testing"
)

// Calls with every wrong handle, array and pointer are refused, and leave the caller's memory alone.
func TestAttackFromC(t *testing.T) {
	run(t, nil, compile(t, "attack"), known(t))
}

// Threads end, the program forks, processes come while they are measured, texts are no UTF-8.
func TestLivesFromC(t *testing.T) {
	run(t, nil, compile(t, "lives"))
}

// Handlers of signals without SA_ONSTACK that the host has when it opens a source do no harm.
func TestSignalsFromC(t *testing.T) {
	run(t, nil, compile(t, "signals"), "1")
}

// The module refuses versions of Python that install handlers without SA_ONSTACK.
func TestPythonVersion(t *testing.T) {
	have(t, "gcc", "python3")
	native.need(t, "native")
	const program = `
import sys
sys.version_info = (3, 9, 18, "final", 0)
try:
    import winperf
except ImportError as error:
    print(error)
`
	got := run(t, pythonEnv(), "python3", "-c", program)
	if want := "winperf needs Python 3.10 or later, not 3.9.18: older versions handle signals without SA_ONSTACK\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What attacks from C calls all functions that there are.
func TestAttackCallsAll(t *testing.T) {
	text, err := os.ReadFile("c/attack.c")
	if err != nil {
		t.Fatal(err)
	}
	for name := range declared(t) {
		plain, _ := strings.CutSuffix(name, "_safe") // both are made by one macro
		if !strings.Contains(string(text), plain) {
			t.Errorf("c/attack.c does not call %s", name)
		}
	}
}
