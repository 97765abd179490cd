package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }

// parts of a line that differ between two machines, or two moments.
var parts = []struct {
	form *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`(^|[^.\w])[0-9a-f]{16,}\b`), "${1}N"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:[\d:.]+(?: ?[-+]\d\d:\d\d|Z)?`), "TIME"},
	{regexp.MustCompile(`\\\\[^\\\s"]+\\`), `\\HOST\`},
	{regexp.MustCompile(`([{,]\w+)="[^"]*"`), `$1="LABEL"`},
	{regexp.MustCompile(`\([^()\\]*\)\\`), `(INSTANCE)\`},
	{regexp.MustCompile(`\bno_counter\b|\b\d+(?:/s| MHz)`), "N"}, // the machine may lack a counter
	{regexp.MustCompile(`\b(?:localhost|127\.0\.0\.1):\d+`), "ADDRESS"},
	{regexp.MustCompile(`\bagrees +\(.*`), "agrees"},
	{regexp.MustCompile(` \[(?:n=)?\d+\]`), ""},
	{regexp.MustCompile(`(?:~|[-+]?\d[\d.]*%) \(p=[\d.]+ n=\d+\)(?: differs)?`), "DIFFERENCE"},
	{regexp.MustCompile(`\((?:noise: )?p=[\d.]+\)`), "DIFFERENCE"},
	{regexp.MustCompile(`[-+]?\d+(?:[.,]\d+)* ?(?:[KMGT]i?)?B\b`), "SIZE"},
	{regexp.MustCompile(`[-+]?\d+(?:[.,]\d+)* ?(?:[nµm]?s|min|h)\b`), "DURATION"},
	{regexp.MustCompile(`[-+]?\d+(?:[.,:]\d+)*(?:e[-+]?\d+)?`), "N"},
	{regexp.MustCompile(` *(?:\t| ) *`), " "},
}

// shape returns lines without the parts that differ; several lines in a row of the same form are one.
func shape(lines []string) string {
	var all []string
	for _, line := range lines {
		for _, part := range parts {
			line = part.form.ReplaceAllString(line, part.text)
		}
		all = append(all, strings.TrimSpace(line)+"\n")
	}
	return strings.Join(slices.Compact(all), "")
}

// form returns an expression for the shape of the output that a page shows. Without whole, more output may
// follow. The character … stands for omitted text, or for lines.
func form(output []string, whole bool) *regexp.Regexp {
	text := regexp.QuoteMeta(shape(output))
	text = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(text, `(?:.*\n)*?`)
	text = `^` + strings.ReplaceAll(text, "…", ".*")
	if whole {
		text += `$`
	}
	return regexp.MustCompile(text)
}

func difference(page []string, out string) string {
	return cmp.Diff(strings.Split(shape(page), "\n"), strings.Split(shape(lines(out)), "\n")) + "\n" + out
}

// TestShape compares outputs with pages that show them, and with pages that do not.
func TestShape(t *testing.T) {
	const table = "Process  ID Process\nwinperf       4711\n"
	for _, c := range []struct {
		page, output string
		want         bool
	}{
		{"Process ID Process\nwinperf 5", table, true},
		{"Process\nwinperf 5", table, false},
		{"Process ID Process\nwinperf 5\nbash 6", table, false},
		{"Process ID Process\n…", table, true},
		{"…\nwinperf 5", table, true},
		{"Process …\nwinperf 5", table, true},
		{"Process …", table, false},
		{"x{name=\"vda\"} 1.5", "x{name=\"sda\"} 2e+06\n", true},
		{"x{name=\"vda\"} 1.5", "x{device=\"sda\"} 2\n", false},
		{"3 samples, 95.9 KB in a.blg", "31 samples, 1.2 MB in a.blg\n", true},
		{"3 samples, 95.9 KB in a.blg", "31 samples, 1200 in a.blg\n", false},
		{"value 1.5", "value 2.5522807014036974\n", true},
		{"file 0123456789abcdef", "file 1234567890123456\n", true},
		{"took 95.9 ms", "took 1.2 s\n", true},
		{"at 2026-11-27 14:13:08.986 +00:00", "at 2027-01-02T03:04:05Z\n", true},
		{"b -28.79% (p=0.000 n=30) differs", "b ~ (p=0.579 n=10)\n", true},
		{"100 %", "100 s\n", false},
	} {
		page := strings.Split(c.page, "\n")
		if got := form(page, true).MatchString(shape(lines(c.output))); got != c.want {
			t.Errorf("%q shows %q: %t\n%s", c.page, c.output, got, difference(page, c.output))
		}
	}
}
