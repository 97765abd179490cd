package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/winapi"
)

// eventList keeps what a service tells the system's log.
type eventList []string

func (l *eventList) add(kind winapi.EventKind, text string) error {
	*l = append(*l, fmt.Sprint(kind, " ", text))
	return nil
}

func TestServiceRun(t *testing.T) {
	for _, c := range []struct {
		args  []string
		fails bool
		want  eventList
	}{
		{[]string{"version"}, false, eventList{"0 " + console.VersionLine()}},
		{[]string{"get"}, true, eventList{
			`1 winperf: no path given; for example '\Memory\Available MBytes' (winperf list shows the counters)`,
			"2 winperf get ended with status 1",
		}},
	} {
		var got eventList
		readied := 0
		err := serviceRun(c.args, got.add)(t.Context(), func() { readied++ }, nil)
		if (err != nil) != c.fails || readied != 1 {
			t.Errorf("%v: error %v, %d times ready", c.args, err, readied)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: told (-want +got):\n%s", c.args, diff)
		}
	}
}

func TestEventLines(t *testing.T) {
	var got eventList
	l := &eventLines{log: got.add, kind: winapi.EventWarning}
	long := strings.Repeat("x", maxEvent+10)
	for _, part := range []string{"one\r\ntw", "o\n\n", long, "\nend"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("wrote %d of %d, error %v", n, len(part), err)
		}
	}
	if err := l.flush(); err != nil {
		t.Error(err)
	}
	want := eventList{"1 one", "1 two", "1 " + long[:maxEvent], "1 " + long[maxEvent:], "1 end"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// The configuration of a service is checked where it runs: files that are only found from here would be missing.
func TestServiceWork(t *testing.T) {
	there := t.TempDir()
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"secret": "x", "good.yaml": "max_series: 5\n",
		"near.yaml": "push: [{url: 'otlp+http://me@localhost', password_file: secret}]\n",
		"far.yaml":  "push: [{url: 'otlp+http://me@localhost', password_file: '" + filepath.Join(here, "secret") + "'}]\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	for config, want := range map[string]string{
		"good.yaml": "", "far.yaml": "", "near.yaml": "nothing was installed (the service runs in " + there,
	} {
		var told strings.Builder
		p := &program{app: &console.App{Stdout: &told, Stderr: &told}}
		command, err := p.serviceWork(t.Context(), there, config, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q; %s", config, err, want, told.String())
		}
		if got := []string{"serve", "--config", filepath.Join(here, config)}; err == nil && !slices.Equal(command, got) {
			t.Errorf("%s: %q", config, command)
		}
		if dir, err := os.Getwd(); err != nil || dir != here {
			t.Errorf("the directory is %s, %v", dir, err)
		}
	}
}

// A service of record uses the section of the configuration, and is checked as the server is.
func TestServiceWorkOfRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(here, "winperf.yaml")
	if err := os.WriteFile(name, []byte("record: {max_size: 1G, at_limit: circular}\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		config  string
		command []string
		want    []string
		wrong   string
	}{
		{name, []string{"record"}, []string{"record", "--config", name}, ""},
		{name, []string{"record", `\Memory\*`, "-i", "5"}, []string{"record", "--config", name, `\Memory\*`, "-i", "5"}, ""},
		{"", []string{"record", "-i", "5"}, []string{"record", "-i", "5"}, ""},
		{"", []string{"record", "--at-limit", "new"}, nil, "nothing was installed"},
		{name, []string{"publish"}, nil, "nothing was installed"}, // the file has no section for it
		{name, []string{"watch"}, nil, "--config is for serve, record and publish, not for watch"},
		{"", []string{"recrod"}, nil, "unknown command"},
	} {
		var told strings.Builder
		p := &program{app: &console.App{Stdout: &told, Stderr: &told}}
		got, err := p.serviceWork(t.Context(), t.TempDir(), c.config, c.command)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: error %v, want %q; %s", c.command, err, c.wrong, &told)
		}
		if err == nil && !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.command, got)
		}
	}
}
