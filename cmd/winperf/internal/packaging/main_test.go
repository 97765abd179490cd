package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf/cmd/winperf/internal/cli"
)

// font and escaped are requests of roff inside a line.
var (
	font    = regexp.MustCompile(`\\f[A-Z]`)
	escaped = strings.NewReplacer(`\\`, `\`, `\-`, "-", `\&`, "", `\ `, " ", `\(rs`, `\`, `\(aq`, "'", `\~`, "~")
)

// shown returns the text of a manual page without requests of roff.
func shown(page string) string {
	return strings.Join(strings.Fields(escaped.Replace(font.ReplaceAllString(page, ""))), " ")
}

// TestPages: each command and help topic has a page with the complete help: description, examples and flags.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	if err := writePages(cli.Commands(), "1.2.3", dir); err != nil {
		t.Fatal(err)
	}

	pages := 0
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		pages++

		page := shown(string(text))
		want := []string{cmd.Short, cmd.Long, cmd.Example}
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				_, usage := pflag.UnquoteUsage(f)
				want = append(want, "--"+f.Name, usage)
			}
		})
		for _, w := range want {
			if w = strings.Join(strings.Fields(w), " "); !strings.Contains(page, w) {
				t.Errorf("%s has no %q:\n%s", name, w, text)
			}
		}
		for _, c := range cmd.Commands() {
			if !c.Hidden && c.Name() != "help" {
				check(c)
			}
		}
	}
	check(cli.Commands())

	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != pages {
		t.Errorf("there are %d pages of %d commands, %v", len(files), pages, err)
	}
}
