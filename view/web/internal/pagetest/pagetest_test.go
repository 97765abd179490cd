// Package pagetest tests the modules of the page that use no browser, and contains the server with
// made-up data that the browser tests use.
package pagetest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestModules runs the tests written in JavaScript.
func TestModules(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		message := "node is not installed"
		if os.Getenv("CI") == "true" && runtime.GOOS == "linux" {
			t.Fatal(message)
		}
		t.Skip(message)
	}

	out, err := exec.Command(node, "--test").CombinedOutput()
	if err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}

// TestVendored compares the files of uPlot with the checksums of its npm package.
func TestVendored(t *testing.T) {
	directory := filepath.Join("..", "..", "page", "uplot")
	version, err := os.ReadFile(filepath.Join(directory, "VERSION"))
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"uPlot.iife.min.js", "uPlot.min.css", "LICENSE"} {
		data, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil {
			t.Fatal(err)
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name); !strings.Contains(string(version), line) {
			t.Errorf("VERSION lacks the line %q", line)
		}
	}
}
