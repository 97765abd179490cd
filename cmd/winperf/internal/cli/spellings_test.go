package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

func TestRewrite(t *testing.T) {
	tests := []struct {
		command, args, want string
	}{
		{"watch", "watch -si 5 -sc 3 -cf list.txt", "watch --interval 5 --count 3 --counters list.txt"},
		{"watch", "watch -i 5 -n 3", "watch -i 5 -n 3"},
		{"watch", `watch -y \A\B -f CSV`, `watch --overwrite \A\B -f CSV`},
		{"list", "list -q", "list --format paths"},
		{"list", "list -qx Processor", "list --format paths --instances Processor"},
		{"list", "-? list", "--help list"},
		// Arguments of flags, ours and theirs, are left alone.
		{"get", "get --exclude -q", "get --exclude -q"},
		{"get", "get --exclude=-q -cf -q", "get --exclude=-q --counters -q"},
		{"get", "get -o -sc -f -si", "get -o -sc -f -si"},
		{"get", "get -ocsv -cf a", "get -ocsv --counters a"},
		{"get", "get --cap100 -cf a", "get --cap100 --counters a"},
		{"watch", "watch -si", "watch --interval"},
		// relog's: several arguments behind one flag.
		{"convert", `convert a.blg -c \A\B \C\D -o x.csv -t 5 -cf f.txt`, `convert a.blg --path \A\B --path \C\D -o x.csv --every 5 --counters f.txt`},
		{"convert", "convert a.blg -q", "convert a.blg --format paths"},
		{"convert", "convert a.blg -c", "convert a.blg --path"},
		// logman's: a flag with or without a time behind it.
		{"record", `record -c \A\B \C\D -f bincirc -max 100 -o x -si 5`, `record --path \A\B --path \C\D -f bincirc --max-size 100 -o x --interval 5`},
		{"record", "record -cnf 1:00:00 -v mmddhhmm -rf 60 -ow", "record --at-limit new --max-time 1:00:00 --suffix mmddhhmm --for 60 --overwrite"},
		{"record", "record -cnf -a -ets", "record --at-limit new --append"},
		{"record", "record -max 1 -cnf", "record --max-size 1 --at-limit new"},
		// So is what follows --, and what is written in other ways.
		{"watch", "watch -- -si 5", "watch -- -si 5"},
		{"watch", "watch -SI 5", "watch -SI 5"},
		{"watch", `watch \P(-q)\-si`, `watch \P(-q)\-si`},
	}
	root := (&program{app: &console.App{}}).rootCommand()
	for _, test := range tests {
		cmd, _, err := root.Find([]string{test.command})
		if err != nil {
			t.Fatal(err)
		}
		got, err := rewrite(cmd, strings.Fields(test.args))
		if err != nil {
			t.Errorf("%s: %v", test.args, err)
		}
		if diff := cmp.Diff(strings.Fields(test.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.args, diff)
		}
	}
}

// TestSpellings checks that the commands that a spelling names have the flags
// that take its place.
func TestSpellings(t *testing.T) {
	root := (&program{app: &console.App{}}).rootCommand()
	for name, s := range spellings {
		for _, command := range s.commands {
			cmd, _, err := root.Find([]string{command})
			if err != nil {
				t.Fatal(err)
			}
			for _, ours := range s.ours {
				flag, isFlag := strings.CutPrefix(ours, "--")
				if isFlag && cmd.Flags().Lookup(flag) == nil {
					t.Errorf("%s: %s has no flag %s", name, command, ours)
				}
			}
		}
		for _, cmd := range root.Commands() {
			if short := strings.TrimPrefix(name, "-"); len(short) == 1 && cmd.Flags().ShorthandLookup(short) != nil {
				t.Errorf("%s: %s has a flag of its own by that name", name, cmd.Name())
			}
		}
	}
}

// A time may be written as several arguments.
func TestRewriteTimes(t *testing.T) {
	cmd, _, err := (&program{app: &console.App{}}).rootCommand().Find([]string{"convert"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want []string }{
		{[]string{"-b", "1/2/2026", "15:04:05", "-e", "1/2/2026", "3:04:06", "PM", "a.csv"}, []string{"--begin", "1/2/2026 15:04:05", "--end", "1/2/2026 3:04:06 PM", "a.csv"}},
		{[]string{"-b", "1/2/2026 15:04:05", "12:30.csv"}, []string{"--begin", "1/2/2026 15:04:05", "12:30.csv"}},
		{[]string{"-b"}, []string{"--begin"}},
	} {
		got, err := rewrite(cmd, test.args)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", test.args, err, diff)
		}
	}
	for name, s := range commandSpellings["convert"] {
		for _, ours := range s.ours {
			if flag, isFlag := strings.CutPrefix(ours, "--"); isFlag && cmd.Flags().Lookup(flag) == nil {
				t.Errorf("%s: convert has no flag %s", name, ours)
			}
		}
		if short := strings.TrimPrefix(name, "-"); len(short) == 1 && cmd.Flags().ShorthandLookup(short) != nil {
			t.Errorf("%s: convert has a flag of its own by that name", name)
		}
	}
}

// TestExamples runs what can be run of the examples in help texts as far as
// reading their flags, so that none shows a flag that is not there.
func TestExamples(t *testing.T) {
	checked := 0
	root := (&program{app: &console.App{}}).rootCommand()
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Example == "" && cmd.Name() != "help" {
			t.Errorf("%s has no example", cmd.Name())
		}
		for line := range strings.Lines(cmd.Example) {
			_, line, found := strings.Cut(line, "winperf ")
			if !found {
				t.Errorf("%s: the example %q does not call winperf", cmd.Name(), line)
			}
			args := shellWords(line)
			fresh := (&program{app: &console.App{}}).rootCommand()
			about, _, err := fresh.Find(args)
			if err != nil {
				t.Errorf("%s: example %q: %v", cmd.Name(), line, err)
				continue
			}
			if args, err = rewrite(about, args); err == nil {
				err = about.ParseFlags(args)
			}
			if err != nil {
				t.Errorf("%s: example %q: %v", cmd.Name(), line, err)
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("%d examples, expected at least 20", checked)
	}
}

// shellWords splits a command line as a shell would, up to a redirection, a
// pipe or a remark in parentheses.
func shellWords(line string) []string {
	var words []string
	quoted := strings.Split(line, "'")
	for i, part := range quoted {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		end := strings.IndexAny(part, "<>|()")
		if end < 0 {
			words = append(words, strings.Fields(part)...)
			continue
		}
		return append(words, strings.Fields(part[:end])...)
	}
	return words
}

// TestCrash checks that a fault of the program is one line and status 1.
func TestCrash(t *testing.T) {
	var stderr strings.Builder
	broken := writerFunc(func([]byte) (int, error) { panic("broken") })
	status := Run(context.Background(), []string{"version"}, strings.NewReader(""), broken, &stderr)
	if status != console.ExitFailed {
		t.Errorf("status %d, want %d", status, console.ExitFailed)
	}
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "internal error: broken") {
		t.Errorf("standard error is %q", got)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

var _ io.Writer = writerFunc(nil)
