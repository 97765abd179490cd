// Paths shows the parts of a counter path, and which other paths it matches.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/winperf/winperf"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: paths PATTERN [PATH...]")
		os.Exit(1)
	}
	if err := run(os.Args[1], os.Args[2:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "paths:", err)
		os.Exit(1)
	}
}

// run shows the parts of the pattern and the paths that it matches.
func run(pattern string, paths []string, out io.Writer) error {
	p, err := winperf.ParsePath(pattern)
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "machine   %s\nobject    %s\n", p.Machine, p.Object)
	if p.HasInstance {
		parent, name := p.SplitInstance()
		fmt.Fprintf(out, "parent    %s\ninstance  %s\n", parent, name)
	}
	fmt.Fprintf(out, "counter   %s\n", p.Counter)

	m := p.Matcher()
	for _, text := range paths {
		other, err := winperf.ParsePath(text)
		if err != nil {
			return err
		}
		word := "no "
		if names(&m, other) {
			word = "yes"
		}
		fmt.Fprintln(out, word, other)
	}
	return nil
}

// names reports whether the pattern matches a path, ignoring case.
func names(m *winperf.Matcher, p winperf.Path) bool {
	if !m.Machine(p.Machine) || !m.Object(p.Object) || !m.Counter(p.Counter) {
		return false
	}
	return m.HasInstance() == p.HasInstance && (!p.HasInstance || m.Instance(p.Instance, p.Index))
}
