package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
)

// header is libwinperf.h without its comments.
func header(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("libwinperf.h")
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(b), "")
}

// declared are the functions of the header with their parameters, in one line.
func declared(t *testing.T) map[string]string {
	t.Helper()
	functions := map[string]string{}
	for _, m := range regexp.MustCompile(`(?s)(?:int32_t|winperf_handle) (winperf_\w+)\(([^)]*)\);`).FindAllStringSubmatch(header(t), -1) {
		functions[m[1]] = strings.Join(strings.Fields(m[2]), " ")
	}
	return functions
}

// exported are the functions that the Go files export, with the number of their parameters. The
// compiler compares the types of those that are in both.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("export_*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q: %v", files, err)
	}
	functions := map[string]bool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^//export (\w+)\nfunc (\w+)\(`).FindAllStringSubmatch(string(b), -1) {
			if m[1] != m[2] {
				t.Errorf("%s exports %s as %s", file, m[2], m[1])
			}
			functions[m[1]] = true
		}
	}
	return functions
}

// The header declares what is exported, and nothing else.
func TestHeaderDeclaresExports(t *testing.T) {
	want := slices.Sorted(maps.Keys(exported(t)))
	got := slices.Sorted(maps.Keys(declared(t)))
	if !slices.Equal(got, want) || len(got) < 60 {
		t.Errorf("the header declares %q, and exported are %q", got, want)
	}
}

// Each function on a snapshot exists twice, with the same parameters; State never waits.
func TestTwoForms(t *testing.T) {
	functions := declared(t)
	once := []string{"winperf_snapshot_create", "winperf_snapshot_create_sensors", "winperf_snapshot_state"}
	for name, parameters := range functions {
		plain, safe := strings.CutSuffix(name, "_safe")
		switch {
		case safe && functions[plain] != parameters:
			t.Errorf("%s(%s), and %s(%s)", name, parameters, plain, functions[plain])
		case !safe && strings.HasPrefix(name, "winperf_snapshot_") && !slices.Contains(once, name) && functions[name+"_safe"] == "":
			t.Errorf("%s has no safe form", name)
		}
	}
}

// The numbers in the header are those of the package.
func TestHeaderConstants(t *testing.T) {
	want := map[string]int{
		"OK": int(foreign.OK), "FAILED": int(foreign.Failed), "HANDLE": int(foreign.UnknownHandle),
		"KIND": int(foreign.WrongKind), "STATE": int(foreign.WrongState), "ARGUMENT": int(foreign.BadArgument),
		"ANOMALY": int(foreign.Anomaly), "SIZE": int(foreign.TooSmall), "NOT_FOUND": int(foreign.NotFound),
		"NOT_SUPPORTED": int(foreign.NotSupported), "TIMEOUT": int(foreign.Timeout), "END": int(foreign.End),
		"DAMAGED": int(foreign.Damaged), "TOO_MANY": int(foreign.TooMany),
		"TIMEOUT_MS": int(foreign.TimeoutMS), "RETRIES": int(foreign.Retries), "REST": int(foreign.Rest),
		"NONE": int(counter.NoValue), "INT32": int(counter.Integer32), "INT64": int(counter.Integer64),
		"DECIMAL": int(counter.Decimal), "TEXT": int(counter.TextValue),
		"GAUGE": int(sensor.Gauge), "COUNTER": int(sensor.CounterKind),
		"GLOBAL": int(foreign.Global), "COSTLY": int(foreign.Costly), "CUSTOM": int(foreign.Custom),
		"BY_PID": int(foreign.ByPID), "BY_NAME_AND_PID": int(foreign.ByNameAndPID),
		"PDH_EXACT":    int(foreign.PDHExact),
		"INITIALIZING": int(foreign.Initializing), "INITIALIZED": int(foreign.Initialized),
		"PREPARING": int(foreign.Preparing), "PREPARED": int(foreign.Prepared), "SAMPLING": int(foreign.Sampling),
		"SAMPLED": int(foreign.Sampled), "DECODING": int(foreign.Decoding),
	}
	got := map[string]int{}
	for _, m := range regexp.MustCompile(`WINPERF_(\w+) = (-?\d+)`).FindAllStringSubmatch(header(t), -1) {
		got[m[1]], _ = strconv.Atoi(m[2])
	}
	if !maps.Equal(got, want) {
		t.Errorf("the header has %v, want %v", got, want)
	}
}

// natives are the functions that the classes in Java call.
func natives(t *testing.T) []string {
	t.Helper()
	return matches(t, "java/winperf/Native.java", `static native int (\w+)\(`)
}

// matches are what a pattern finds in a file, sorted.
func matches(t *testing.T, file, pattern string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(b), -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return all
}

// The library for Java has what its classes call, and nothing else.
func TestNativeMethods(t *testing.T) {
	got := matches(t, "java/winperf_jni.c", `(?m)^(?:FUNCTION|OF_HANDLE)\((\w+)`)
	if want := natives(t); !slices.Equal(got, want) || len(got) < 40 {
		t.Errorf("winperf_jni.c has %q, and Native.java %q", got, want)
	}
}
