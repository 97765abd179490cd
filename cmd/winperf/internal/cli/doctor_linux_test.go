package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/provider/publish"
)

// TestDoctorChangesNothing leaves the file of a publisher that has ended, which readers of published counters
// remove.
func TestDoctorChangesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(publish.Environment, dir)
	file := filepath.Join(dir, "ended.winperf")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	examineHere(t)
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// TestDoctorDirectory lets every account remove files from the directory of published counters.
func TestDoctorDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o777, 0o755} {
		t.Setenv(publish.Environment, dir)
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range examineHere(t).Findings {
			found = found || f.Code == "directory_unsafe"
		}
		if found != (mode == 0o777) {
			t.Errorf("%v: found %v", mode, found)
		}
	}
}

// examineHere runs winperf doctor on this machine, whose state decides the exit status.
func examineHere(t *testing.T) (r diagnosis.Report) {
	t.Helper()
	var out, complaints bytes.Buffer
	status := Run(t.Context(), []string{"doctor", "-o", "json"}, strings.NewReader(""), &out, &complaints)
	if complaints.Len() > 0 {
		t.Errorf("status %d, %s", status, complaints.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	want := 0
	switch {
	case len(r.Findings) > 0:
		want = 1
	case len(r.Unexamined) > 0:
		want = 3
	}
	if status != want {
		t.Errorf("status %d, want %d: %+v", status, want, r)
	}
	return r
}
