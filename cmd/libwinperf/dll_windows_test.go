package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
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

// The library for Java on Windows finds libwinperf.dll and exports all that the classes call.
func TestJavaDLL(t *testing.T) {
	dir := os.Getenv("WINPERF_LIBWINPERF")
	if dir == "" {
		t.Skip("WINPERF_LIBWINPERF names no directory with winperfjni.dll and libwinperf.dll")
	}
	for _, file := range []string{"libwinperf.dll", "winperfjni.dll"} { // as class Native loads them
		if _, err := syscall.LoadLibrary(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}

	library := syscall.NewLazyDLL(filepath.Join(dir, "winperfjni.dll"))
	for _, name := range natives(t) {
		if err := library.NewProc("Java_winperf_Native_" + name).Find(); err != nil {
			t.Error(err)
		}
	}

	// These need no virtual machine.
	for name, want := range map[string]int32{"interfaceVersion": 1, "closeSource": int32(foreign.UnknownHandle)} {
		got, _, _ := library.NewProc("Java_winperf_Native_"+name).Call(0, 0, 1<<30)
		if int32(got) != want {
			t.Errorf("%s returns %d, want %d", name, int32(got), want)
		}
	}
}
