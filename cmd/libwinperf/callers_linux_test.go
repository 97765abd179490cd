package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/control"
	"github.com/winperf/winperf/internal/perftest"
)

// have skips the test where a program is missing, unless all are to run.
func have(t testing.TB, programs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the library")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		} else if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("%s is missing", program)
	}
}

// build builds targets of the library once for all tests.
type build struct {
	once sync.Once
	err  error
}

var (
	dir          string // of what is built
	native, java build
)

func TestMain(m *testing.M) {
	var err error
	if dir, err = os.MkdirTemp("", "libwinperf"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil && code == 0 {
		panic(err)
	}
	os.Exit(code)
}

func (b *build) need(t testing.TB, target string) {
	t.Helper()
	b.once.Do(func() {
		cmd := exec.Command("../../scripts/build-libwinperf", dir, target)
		cmd.Env = append(os.Environ(), "LIBWINPERF_FLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("%s: %w\n%s", target, err, out)
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
}

// compile builds a program in C with the library, which the address sanitizer watches.
func compile(t testing.TB, name string) string {
	t.Helper()
	have(t, "gcc")
	native.need(t, "native")
	program := filepath.Join(dir, name)
	options := []string{"-g", "-fsanitize=address,undefined"}
	if name == "cost" {
		options = []string{"-O2"}
	}
	run(t, nil, "gcc", append(options, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I.", "-o", program, "c/"+name+".c", "-L"+dir, "-lwinperf", "-lpthread", "-Wl,-rpath,"+dir)...)
	return program
}

// The programs in C and Python print what package measure has, value by value, with the
// same names; also where instances came and left.
func TestValues(t *testing.T) {
	have(t, "python3")
	program := compile(t, "print")
	for _, percent := range []float64{0, 20} {
		url := churn(t, percent)
		want := wanted(readings(t, url))
		compare(t, "C", want, run(t, nil, program, url))
		compare(t, "Python", want, run(t, pythonEnv(), "python3", "python/print.py", url))
	}
}

// pythonEnv lets Python find the library that was built.
func pythonEnv() []string {
	return []string{"LIBWINPERF=" + filepath.Join(dir, "libwinperf.so"), "PYTHONPATH=python"}
}

// jvm runs a Java program with the library.
func jvm(t testing.TB, env, options []string, program string, args ...string) string {
	t.Helper()
	return run(t, env, "java", append(append(options, javaOptions(t)...), append([]string{program}, args...)...)...)
}

// javaOptions are what the programs in Java need. They are built first.
func javaOptions(t testing.TB) []string {
	t.Helper()
	have(t, "gcc", "javac", "java")
	native.need(t, "native")
	java.need(t, "java")
	classes, jar := filepath.Join(dir, "programs"), filepath.Join(dir, "winperf.jar")
	if _, err := os.Stat(classes); err != nil {
		programs, err := filepath.Glob("java/programs/*.java")
		if err != nil {
			t.Fatal(err)
		}
		options := []string{"-encoding", "UTF-8", "--release", "11", "-Xlint:all", "-Werror", "-cp", jar, "-d", classes}
		run(t, nil, "javac", append(options, programs...)...)
		if err := os.CopyFS(classes, os.DirFS("java/programs/services")); err != nil {
			t.Fatal(err)
		}
	}
	return []string{
		"-Dfile.encoding=UTF-8", "-Dwinperf.library=" + filepath.Join(dir, "libwinperfjni.so"), "-cp", jar + ":" + classes,
	}
}

// The virtual machine's library for handlers of signals, which lets it keep its own.
func jsig(t testing.TB) string {
	t.Helper()
	have(t, "java")
	java, err := exec.LookPath("java")
	if err == nil {
		java, err = filepath.EvalSymlinks(java)
	}
	file := filepath.Join(java, "../../lib/libjsig.so")
	if _, missing := os.Stat(file); err != nil || missing != nil {
		t.Skipf("no libjsig.so: %v", errors.Join(err, missing))
	}
	return file
}

// The classes in Java give every instance of every sensor the value that package measure has.
func TestJavaValues(t *testing.T) {
	have(t, "gcc", "javac", "java")
	for _, percent := range []float64{0, 20} {
		url := churn(t, percent)
		var want []string
		for _, r := range readings(t, url) {
			want = append(want, sensor.NewName("windows.winperf", r.Path).String()+"\t"+value(r))
		}
		slices.Sort(want)
		compare(t, "Java", want, jvm(t, nil, nil, "Print", url))
	}
}

// Java and Python have the same of a source: names, sensors, and of snapshots of each kind the objects, counters
// with their help, instances and values.
func TestJavaHasWhatPythonHas(t *testing.T) {
	have(t, "gcc", "python3", "javac", "java")
	options := javaOptions(t)
	for _, url := range []string{churn(t, 20), odd(t)} {
		python := run(t, pythonEnv(), "python3", "python/everything.py", url)
		java := run(t, nil, "java", append(options, "Everything", url)...)
		if !strings.Contains(python, "\nitem\t") {
			t.Errorf("no values in\n%s", python)
		}
		if diff := cmp.Diff(strings.Split(python, "\n"), strings.Split(java, "\n")); diff != "" {
			t.Errorf("(-Python +Java):\n%.4000s", diff)
		}
	}
}

func TestJavaClasses(t *testing.T) {
	check(t, nil, nil)
}

// check runs Check.
func check(t *testing.T, env, options []string) {
	t.Helper()
	env = append(env, control.Environment+"="+t.TempDir())
	if out := jvm(t, env, options, "Check", known(t), changed(t), retyped(t), odd(t)); out != "ok\n" {
		t.Error(out)
	}
}

// Several class loaders of one machine can each have the library.
func TestJavaLoadsTwice(t *testing.T) {
	options := javaOptions(t)
	copied := t.TempDir()
	for _, name := range []string{"libwinperf.so", "libwinperfjni.so"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), b, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	out := run(t, nil, "java", append(options, "Twice", filepath.Join(dir, "winperf.jar"),
		filepath.Join(dir, "libwinperfjni.so"), filepath.Join(copied, "libwinperfjni.so"))...)
	if out != "ok\n" {
		t.Error(out)
	}
}

// Check, while the virtual machine checks what the code in C does, and keeps its handlers.
func TestJavaChecked(t *testing.T) {
	check(t, []string{"LD_PRELOAD=" + jsig(t)}, []string{"-Xcheck:jni"})
}

func TestPythonModule(t *testing.T) {
	have(t, "gcc", "python3")
	native.need(t, "native")
	env := append(pythonEnv(), "WINPERF_TEST_URL="+known(t), "WINPERF_TEST_CHANGED="+changed(t),
		"WINPERF_TEST_HEADER=libwinperf.h")
	run(t, env, "python3", "python/test_winperf.py")
}

// Random calls from threads that Go knows nothing of.
func TestRandomCallsFromC(t *testing.T) {
	program := compile(t, "random")
	for seed := range 3 {
		t.Logf("seed %d: %s", seed, run(t, nil, program, "local:", "6", "200", fmt.Sprint(seed)))
	}
}

// The same for as long as WINPERF_SOAK says, and what attacks before, with the sanitizer in the library, too.
func TestSoakRandomCallsFromC(t *testing.T) {
	cases := perftest.SoakCases(t)
	program := compile(t, "random")
	watched := t.TempDir()
	run(t, []string{"CGO_ENABLED=1"}, "go", "build", "-asan", "-buildmode=c-shared", "-o", filepath.Join(watched, "libwinperf.so"), ".")

	env := []string{"LD_LIBRARY_PATH=" + watched}
	run(t, env, compile(t, "attack"), known(t))
	run(t, env, compile(t, "lives"))
	for n, r := range cases.All() {
		seed := fmt.Sprint(r.IntN(1_000_000))
		out := run(t, env, program, "local:", "8", "1000", seed)
		t.Logf("round %d, seed %s: %s", n, seed, out)
	}
	if cases.Done == 0 {
		t.Error("the time was over before the library was built")
	}
}
