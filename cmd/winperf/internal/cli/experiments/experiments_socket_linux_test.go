package experiments

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/internal/control"
)

// shortDir is where programs of this test listen: a socket's path has to be short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "wp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv(control.Environment, dir)
	return dir
}

// Programs that hang, as one that is suspended does, hold up no answer of the others.
func TestAskPrograms(t *testing.T) {
	dir := shortDir(t)
	var programs []control.Program
	for i := range 15 {
		path := filepath.Join(dir, fmt.Sprintf("mute.%d.sock", 1<<22+i))
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		programs = append(programs, control.Program{Name: "mute", PID: 1<<22 + i, Path: path})
	}
	stop, err := input.OpenExperiments(t.Context(), "record", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	own, err := control.Find(t.Context(), "", fmt.Sprint(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}

	programs = append(programs, own) // all are asked at once
	answers := queryPrograms(t.Context(), programs, 3*time.Second)
	for i, a := range answers {
		if mute := programs[i].Name == "mute"; (a.err != nil) != mute {
			t.Errorf("%s: %v", programs[i].Name, a.err)
		}
	}
	if got := answers[15].listing; got.Program != "record" || got.PID != os.Getpid() || len(got.Sources) != 1 {
		t.Errorf("%+v", got)
	}
}
