package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The DLL gives a program in C what package measure has. scripts/test has both built and names
// their directory: a program for Windows that Go built cannot build them.
func TestDLL(t *testing.T) {
	dir := os.Getenv("WINPERF_LIBWINPERF")
	if dir == "" {
		t.Skip("WINPERF_LIBWINPERF names no directory with print.exe and libwinperf.dll")
	}
	program := filepath.Join(dir, "print.exe")
	for _, percent := range []float64{0, 20} {
		url := churn(t, percent)
		compare(t, "C", wanted(readings(t, url)), run(t, nil, program, url))
	}
	run(t, nil, filepath.Join(dir, "random.exe"), churn(t, 0), "4", "200", "1")
	run(t, nil, filepath.Join(dir, "attack.exe"), churn(t, 0))
}
