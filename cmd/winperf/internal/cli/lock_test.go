package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
)

// recording is a recording in a process of its own.
type recording struct {
	t    *testing.T
	name string
	attr *syscall.SysProcAttr
	cmd  *exec.Cmd
}

// begin starts a recording and waits until it has samples.
func (r *recording) begin(args ...string) {
	r.t.Helper()
	args = append([]string{"record", livePath(r.t), "-i", "0.05", "--progress", "-o", r.name}, args...)
	r.cmd = process(r.t, "winperf", args...)
	stderr, err := os.Create(r.name + ".stderr")
	if err != nil {
		r.t.Fatal(err)
	}
	r.cmd.Stderr, r.cmd.SysProcAttr = stderr, r.attr
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // where it has not ended
		_ = r.cmd.Wait()
		_ = stderr.Close()
	})
	r.waitForMore(0)
}

// progress is the number of samples that the recording said it has.
func (r *recording) progress() int {
	return strings.Count(content(r.t, r.name+".stderr"), " sample")
}

// waitForMore waits until there are more samples than that.
func (r *recording) waitForMore(than int) {
	r.t.Helper()
	for deadline := time.Now().Add(hostileLimit); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if r.progress() > than {
			return
		}
	}
	r.t.Fatalf("there are not more than %d samples: %s", than, content(r.t, r.name+".stderr"))
}

// refused runs a program that would write a file which is being written.
func refused(t *testing.T, args ...string) {
	t.Helper()
	cmd := process(t, "winperf", args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	status := cmd.ProcessState.ExitCode()
	if status != console.ExitFailed || !strings.Contains(string(out), output.ErrInUse.Error()) {
		t.Errorf("%v: status %d, %s", args, status, out)
	}
}

// TestSecondRecorder checks that a file that is being recorded is not written by
// another program, can be read by all, and is free when the recorder is dead.
func TestSecondRecorder(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	path := livePath(t)
	for _, format := range []string{"capture", "csv", "jsonl", "blg"} {
		t.Run(format, func(t *testing.T) {
			dir := t.TempDir()
			name, other := filepath.Join(dir, "load."+format), filepath.Join(dir, "other.capture")
			first := process(t, "winperf", "record", path, "-i", "0.01", "-n", "2", "-o", other)
			if out, err := first.CombinedOutput(); err != nil {
				t.Fatalf("%v, %s", err, out)
			}
			r := recording{t: t, name: name}
			r.begin()

			refused(t, "record", path, "-n", "2", "-i", "0.01", "--overwrite", "-o", name)
			if format != "blg" {
				refused(t, "record", path, "-n", "2", "-i", "0.01", "--append", "-o", name)
			}
			refused(t, "convert", other, "--overwrite", "-o", name, "-f", format)
			refused(t, "get", path, "-f", "jsonl", "--overwrite", "-o", name)
			refused(t, "watch", path, "-n", "1", "-f", "csv", "--overwrite", "-o", name)

			// Nobody has cut it or written to it, and everybody can read it.
			before := r.progress()
			samples, damage := samplesIn(t, name)
			if format != "blg" && samples < before || damage > 1 { // by the one that is being written
				t.Errorf("%d samples and %d places of damage; %d were recorded", samples, damage, before)
			}
			if format != "jsonl" {
				if out, err := process(t, "winperf", "info", name).CombinedOutput(); err != nil {
					t.Errorf("info: %v, %s", err, out)
				}
			}
			r.waitForMore(before)

			// A recorder that was killed leaves no lock behind.
			if err := r.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = r.cmd.Wait() // it was killed
			more := []string{"record", path, "-n", "2", "-i", "0.01", "--overwrite", "-o", name}
			if out, err := process(t, "winperf", more...).CombinedOutput(); err != nil {
				t.Errorf("after the recorder's end: %v, %s", err, out)
			}
			if samples, damage := samplesIn(t, name); samples != 2 || damage > 0 {
				t.Errorf("%d samples and %d places of damage, want 2", samples, damage)
			}
		})
	}
}

// TestSecondRecorderOfSeveralFiles checks that a recording in several files is
// not overwritten by another one that begins with the first of them.
func TestSecondRecorderOfSeveralFiles(t *testing.T) {
	for action, most := range map[string]string{"new": "2", "circular": "16"} { // two in each file
		inTime := false
		for deadline := time.Now().Add(hostileLimit); !inTime; {
			if time.Now().After(deadline) {
				t.Fatal("the machine is too slow to look at files before they are used again")
			}
			t.Run(action, func(t *testing.T) { // at its end the recorder is killed
				inTime = refusedOfSeveral(t, action, most)
			})
			if t.Failed() {
				return
			}
		}
	}
}

// refusedOfSeveral runs a second recorder beside one that writes two samples to each file. It reports false if the first
// one has gone so far meanwhile that it may have begun to use its files again.
func refusedOfSeveral(t *testing.T, action, most string) bool {
	t.Helper()
	dir := t.TempDir()
	r := recording{t: t, name: filepath.Join(dir, "x_{serial}.jsonl")}
	limits := []string{"--max-samples", most, "--at-limit", action}
	r.begin(limits...)
	r.waitForMore(6)

	second := []string{"record", livePath(t), "-n", "2", "-i", "0.01", "--overwrite", "-o", r.name}
	refused(t, append(second, limits...)...)
	var held [2]int
	var missing error
	for i := range held {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("x_%06d.jsonl", i+2)))
		held[i], missing = strings.Count(string(text), "\n"), errors.Join(missing, err)
	}
	if action == "circular" && r.progress() > 14 {
		return false
	}
	if missing != nil {
		t.Fatal(missing)
	}
	if held[0] != 2 || held[1] != 2 {
		t.Errorf("--at-limit %s: the second and third file have %d samples, want 2 each", action, held)
	}
	return true
}
