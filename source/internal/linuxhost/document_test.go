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

` + "`winperf list`" + ` shows the objects and counters of your machine. This page lists all of them, with their sources and
their differences from Windows.

- **Index:** the title index, the same as on Windows. Numbers from 100,000 are for names without a fixed number on Windows.
- **Type:** the counter type of winperf.h.
- **Unit:** the unit of the displayed value.
- **Missing values:** ` + "`winperf list`" + ` omits a counter that the kernel does not provide. If one instance lacks a value, the status
  is invalid_data, or not_permitted if the reader lacks the permission. A total over such values has the same status.
- **Zero:** a counter is 0 only if the kernel reports 0.

The page is generated. To update it, run ` + "`go test ./source/internal/linuxhost -run Document -update`" + `.
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
	b.WriteString("\n| object | index | instances | counters | class |\n| --- | ---: | --- | " +
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
	b.WriteString("| counter | index | type | unit | meaning | source | difference from Windows |\n| --- " +
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
