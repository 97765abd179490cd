// Command packaging writes the manual pages of winperf into a directory. It is a separate module, so that
// its dependencies, and the packager nfpm, are none of winperf's:
//
//	SOURCE_DATE_EPOCH=SECONDS go run . VERSION DIRECTORY
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf/cmd/winperf/internal/cli"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: packaging VERSION DIRECTORY")
		os.Exit(2)
	}
	if err := writePages(cli.Commands(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

// writePages writes a manual page for a command and for each command and help topic below it.
func writePages(cmd *cobra.Command, version, dir string) error {
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if err := writePages(c, version, dir); err != nil {
			return err
		}
	}

	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	verbatim(cmd)
	file, err := os.Create(filepath.Join(dir, name+".1"))
	if err != nil {
		return err
	}
	header := &doc.GenManHeader{Title: strings.ToUpper(name), Source: "winperf " + version, Manual: "winperf"}
	if err := doc.GenMan(cmd, header, file); err != nil {
		return err
	}
	return file.Close()
}

// special are the characters that have a meaning in Markdown, which package doc takes texts for.
var special = regexp.MustCompile("[\\\\`*_{}\\[\\]<>#~|]")

// verbatim makes package doc show the texts of a command as winperf help shows them.
func verbatim(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true
	cmd.InitDefaultHelpFlag()
	cmd.Long = "```\n" + strings.TrimRight(cmd.Long, "\n") + "\n```"
	cmd.Short = special.ReplaceAllString(cmd.Short, `\$0`)

	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		_, usage := pflag.UnquoteUsage(f)
		f.Usage = special.ReplaceAllString(usage, `\$0`)
		f.DefValue = special.ReplaceAllString(f.DefValue, `\$0`)
	})
}
