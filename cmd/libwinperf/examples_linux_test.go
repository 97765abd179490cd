package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The programs in docs/libwinperf.md work unchanged, with the commands next to them.
func TestExamples(t *testing.T) {
	javaOptions(t) // has everything built
	have(t, "python3")
	text, err := os.ReadFile("../../docs/libwinperf.md")
	if err != nil {
		t.Fatal(err)
	}

	at := t.TempDir()
	const class = "(?s)\n```java\n(import java\\.util\\.List;\nimport winperf\\.\\*;\n\npublic final class "
	for file, program := range map[string]string{
		"first.c":      "(?s)\n```c\n(#include <stdio.h>.*?\n)```\n",
		"first.py":     "(?s)\n```python\n(import winperf\n.*?\n)```\n",
		"First.java":   class + "First .*?\n)```\n",
		"Objects.java": class + "Objects .*?\n)```\n",
	} {
		found := regexp.MustCompile(program).FindStringSubmatch(string(text))
		if found == nil {
			t.Fatalf("docs/libwinperf.md lacks %s", file)
		}
		code := found[1]
		if err := os.WriteFile(filepath.Join(at, file), []byte(code), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	t.Chdir(at)
	form := regexp.MustCompile(`(?m)^    \$ ((?:gcc|javac|java|PYTHONPATH=\S+) .*)$`)
	commands := form.FindAllStringSubmatch(string(text), -1)
	if len(commands) != 6 {
		t.Fatalf("commands %q", commands)
	}
	for _, line := range append(commands, []string{"", "./first"}) {
		program, out := command(t, strings.Fields(strings.ReplaceAll(line[1], "DIRECTORY", dir)))
		checkShare(t, program, out)
	}
}

// The parts of programs in docs/libwinperf.md compile; "..." stands for other statements.
func TestParts(t *testing.T) {
	javaOptions(t) // has everything built
	text, err := os.ReadFile("../../docs/libwinperf.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())

	parts := 0
	form := regexp.MustCompile("(?s)\n *```(c|java)\n(.*?\n) *```\n")
	for _, found := range form.FindAllStringSubmatch(string(text), -1) {
		code := strings.ReplaceAll(found[2], "...\n", ";\n")
		switch {
		case strings.Contains(code, "main("):
			continue
		case found[1] == "c":
			code = "#include <stddef.h>\n#include \"libwinperf.h\"\nint main(void) {" + code + "}\n"
		case found[1] == "java":
			code = "import java.util.List;\nimport winperf.*;\n" +
				"class Part { void run(DataSource source) {" + code + "} }\n"
		}

		parts++
		file := "Part." + found[1]
		if err := os.WriteFile(file, []byte(code), 0o666); err != nil {
			t.Fatal(err)
		}
		if found[1] == "c" {
			run(t, nil, "gcc", "-fsyntax-only", "-Wall", "-Wno-unused-variable", "-Werror", "-I"+dir, file)
		} else {
			run(t, nil, "javac", "-cp", filepath.Join(dir, "winperf.jar"), file)
		}
	}
	if parts != 2 {
		t.Errorf("%d parts, want 2", parts)
	}
}

// The script that builds takes targets with and without a directory, and makes nothing where one is unknown.
func TestBuildTargets(t *testing.T) {
	script, err := filepath.Abs("../../scripts/build-libwinperf")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"windows", "nothing"}, {"./windows", "java", "nothing"}} {
		out, err := exec.Command(script, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "there is no target nothing") {
			t.Errorf("%q: error %v, %s", args, err, out)
		}
		if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
			t.Errorf("%q: error %v, it made %v", args, err, made)
		}
	}
}

// command runs a command as a shell does, with a variable before it.
func command(t *testing.T, words []string) (program, out string) {
	t.Helper()
	var env []string
	if strings.Contains(words[0], "=") {
		env, words = words[:1], words[1:]
	}
	return words[0], run(t, env, words[0], words[1:]...)
}

// checkShare checks that a program prints a share of processor time, and a compiler nothing.
func checkShare(t *testing.T, program, out string) {
	t.Helper()
	numbers := regexp.MustCompile(`\d[\d.]*(?: %)?\n`).FindAllString(out, -1)
	if compiles := program == "gcc" || program == "javac"; compiles != (len(numbers) == 0) {
		t.Errorf("%s printed %q", program, out)
	}
	for _, n := range numbers {
		share, err := strconv.ParseFloat(strings.TrimRight(n, " %\n"), 64)
		if err != nil || share < 0 || share > 101 {
			t.Errorf("%s printed %q", program, out)
		}
	}
}
