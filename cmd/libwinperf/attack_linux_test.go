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
