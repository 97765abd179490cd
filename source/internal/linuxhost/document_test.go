package linuxhost

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/winperf/winperf/provider"
)

var update = flag.Bool("update", false, "write docs/objects.md anew")

const documentFile = "../../../docs/objects.md"

const documentHead = `# Objects of the Linux host

What package ` + "`source/internal/linuxhost`" + ` provides, object by object. This file is generated
from its tables with

    go test ./source/internal/linuxhost -run Document -update

and a test fails if it is out of date. ` + "`winperf list`" + ` shows the same for this machine, without
counters that its kernel does not provide; ` + "`winperf list -o json`" + ` writes it for programs.

The number after a name is its title index, the same as on Windows. Numbers from 100,000 on are winperf's
own; they stand for names that Windows does not have, or has without a fixed number. Types are those of
winperf.h. The unit is that of the displayed value, after rates and percentages are computed.

If a kernel lacks the value of a counter, the counter is left out. If only one instance lacks it, the
instance has no value and the status invalid_data. The status is not_permitted if the reader may not read
the value, and for a total over such values. A counter is 0 only if the kernel reports 0.
`

// TestDocument compares docs/objects.md with the declarations.
func TestDocument(t *testing.T) {
	want := documentText()
	if *update {
		if err := os.WriteFile(documentFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Error("docs/objects.md is out of date: run go test ./source/internal/linuxhost -run Document -update")
	}
}

func documentText() string {
	var b strings.Builder
	b.WriteString(documentHead)
	objects := NewHost(System{}).Objects()
	b.WriteString("\n| object | index | instances | counters | asked for |\n| --- | ---: | --- | " +
		"---: | --- |\n")
	for _, o := range objects {
		class := "Global"
		if o.Costly {
			class = "Costly"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %d | %s | %d | %s |\n", o.Name, anchor(o.Name), o.Index,
			instancesOf(o), len(o.Counters), class)
	}
	for _, o := range objects {
		writeObject(&b, o)
	}
	b.WriteString("\n## Windows objects without a Linux equivalent\n\n| object | index | why |\n| --- " +
		"| ---: | --- |\n")
	for _, a := range absentObjects {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", a.name, a.index, a.why)
	}
	return b.String()
}

func instancesOf(o *provider.Object) string {
	if o.Multi {
		return "many"
	}
	return "one, without a name"
}

// anchor is the link that a headline has in rendered Markdown.
func anchor(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

func writeObject(b *strings.Builder, o *provider.Object) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", o.Name, o.Help)
	b.WriteString("| counter | index | type | unit | what it is | source | unlike on Windows |\n| --- " +
		"| ---: | --- | --- | --- | --- | --- |\n")
	for _, c := range o.Counters {
		text := splitHelp(c.Help)
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s |\n", c.Name, c.Index, c.Type, c.Type.Unit(),
			text.meaning, text.source, text.difference)
	}
	absent := absentCounters[o.Index]
	if len(absent) == 0 {
		return
	}
	b.WriteString("\nWindows counters without a Linux equivalent:\n\n| counter | index | why |\n| --- | " +
		"---: | --- |\n")
	for _, a := range absent {
		index := "-"
		if a.index != 0 {
			index = fmt.Sprint(a.index)
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", a.name, index, a.why)
	}
}

// helpParts are the sentences of a counter's help text by what they tell.
type helpParts struct{ meaning, source, difference string }

func splitHelp(help string) (p helpParts) {
	rest := help
	for rest != "" {
		var sentence string
		sentence, rest = cutSentence(rest)
		to := &p.meaning
		switch {
		case strings.HasPrefix(sentence, "Unlike on Windows, "):
			sentence, to = upperFirst(strings.TrimPrefix(sentence, "Unlike on Windows, ")), &p.difference
		case strings.HasPrefix(sentence, "From "):
			sentence, to = upperFirst(strings.TrimPrefix(sentence, "From ")), &p.source
		case strings.Contains(sentence, "/proc/"):
			to = &p.source
		}
		if *to != "" {
			*to += " "
		}
		*to += sentence
	}
	return p
}

// cutSentence cuts the first sentence off a text.
func cutSentence(text string) (sentence, rest string) {
	for i := 0; i+2 < len(text); i++ {
		if next := text[i+2]; text[i] == '.' && text[i+1] == ' ' &&
			(next >= 'A' && next <= 'Z' || next == '_') {
			return text[:i+1], text[i+2:]
		}
	}
	return text, ""
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// TestSources: each help text tells where the figure is from.
func TestSources(t *testing.T) {
	for _, o := range NewHost(System{}).Objects() {
		for _, c := range o.Counters {
			if p := splitHelp(c.Help); p.source == "" || p.meaning == "" {
				t.Errorf("%s, %s: meaning %q, source %q", o.Name, c.Name, p.meaning, p.source)
			}
		}
	}
}
