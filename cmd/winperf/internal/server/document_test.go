package server

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/serve"
)

const documents = root + "docs/"

const root = "../../../../"

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// yamlBlocks are the blocks of YAML in a document.
func yamlBlocks(text string) (all []string) {
	parts := strings.Split(text, "\n```yaml\n")
	for _, part := range parts[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		all = append(all, block+"\n")
	}
	return all
}

// section is a part of a document, up to the next heading.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "\n"+heading+"\n")
	if !found {
		t.Fatalf("there is no %s", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// keys are those of a structure, each behind those that it stands below.
func keys(typ reflect.Type, above string) (all []string) {
	if typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		return keys(typ.Elem(), above)
	}
	if typ.Kind() != reflect.Struct {
		return nil
	}
	for i := range typ.NumField() {
		field := typ.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case name != "":
			all = append(all, above+name)
			all = append(all, keys(field.Type, above+name+".")...)
		case options == "inline", field.Name == "V" && isIn[strictyaml.Value[int]](typ):
			all = append(all, keys(field.Type, above)...)
		}
	}
	return all
}

// isIn reports whether a type comes from the package of T.
func isIn[T any](typ reflect.Type) bool { return typ.PkgPath() == reflect.TypeFor[T]().PkgPath() }

// TestDocumentHasKeys: each key of the configuration stands in the example of docs/serve.md, at
// its place.
func TestDocumentHasKeys(t *testing.T) {
	examples := yamlBlocks(section(t, readText(t, documents+"serve.md"), "## Configuration file"))
	if len(examples) != 1 {
		t.Fatalf("docs/serve.md has %d examples of a configuration", len(examples))
	}
	if _, err := ParseConfig("serve.md", []byte(examples[0]), Sections{}); err != nil {
		t.Error(err)
	}

	written := writtenKeys(examples[0])
	for _, key := range keys(reflect.TypeFor[file](), "") {
		if ofExporter.MatchString(key) {
			continue // keys of windows_exporter
		}
		if !slices.Contains(written, key) {
			t.Errorf("docs/serve.md lacks the key %s", key)
		}
	}
}

// ofExporter matches the keys that only files of windows_exporter have.
var ofExporter = regexp.MustCompile(`^(collector|process|scrape|telemetry|debug|log\.file|web\.config$|web\.config\.|.*-)`)

var (
	yamlLine = regexp.MustCompile(`^( *)(- )?([a-z_]+):(.*)$`)
	flowKey  = regexp.MustCompile(`[{,] *([a-z_]+):`)
)

// writtenKeys are the keys in a text of YAML, of which a line has one, or one with those of a
// structure in braces.
func writtenKeys(text string) (all []string) {
	type level struct {
		indent int
		key    string
	}
	var above []level
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), " #")
		m := yamlLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		indent := len(m[1]) + len(m[2])
		for len(above) > 0 && above[len(above)-1].indent >= indent {
			above = above[:len(above)-1]
		}
		key := m[3]
		if len(above) > 0 {
			key = above[len(above)-1].key + "." + key
		}
		above = append(above, level{indent, key})
		all = append(all, key)
		for _, inner := range flowKey.FindAllStringSubmatch(m[4], -1) {
			all = append(all, key+"."+inner[1])
		}
	}
	return all
}

// TestDocumentHasOwnMetrics: each metric about winperf stands in docs/serve.md, and what
// stands there is one.
func TestDocumentHasOwnMetrics(t *testing.T) {
	text := section(t, readText(t, documents+"serve.md"), "## Metrics about winperf")
	s := start(t, Config{Config: serve.Config{Paths: paths(t, `\Memory\*`, `\Nothing\*`)}}) // of which a metric tells
	s.ask("GET", "/metrics")
	_, page := s.ask("GET", "/metrics") // now there is a scrape to count
	about := page[strings.Index(page, "# HELP winperf_build_info"):]
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (winperf_[a-z_]+) `).FindAllStringSubmatch(about, -1) {
		if !regexp.MustCompile("`" + m[1] + "[`{]").MatchString(text) {
			t.Errorf("docs/serve.md lacks %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile("`(winperf_[a-z_]+)[`{]").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(about, "# TYPE "+m[1]+" ") {
			t.Errorf("docs/serve.md has %s, which is no metric about winperf", m[1])
		}
	}
}

// TestDocumentHasPushMetrics: each metric about what is sent stands in docs/metrics.md, and what
// stands there is one.
func TestDocumentHasPushMetrics(t *testing.T) {
	text := section(t, readText(t, documents+"metrics.md"), "## Metrics about winperf")
	var written, made []string
	for _, m := range regexp.MustCompile("`(winperf_[a-z_]+)`").FindAllStringSubmatch(text, -1) {
		written = append(written, m[1])
	}
	for _, m := range pushMetrics {
		made = append(made, m.name)
	}
	slices.Sort(written)
	slices.Sort(made)
	if diff := cmp.Diff(made, written); diff != "" {
		t.Errorf("docs/metrics.md, wanted (-) and there (+):\n%s", diff)
	}
}

// TestSnippets: configurations in documents, and the one that comes with the program, are right.
func TestSnippets(t *testing.T) {
	texts := map[string]string{"dist/winperf.yaml": readText(t, root+"dist/winperf.yaml")}
	files, err := filepath.Glob(documents + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, root+"README.md") {
		for _, block := range yamlBlocks(readText(t, name)) {
			if first, _, _ := strings.Cut(block, "\n"); strings.HasPrefix(first, "# winperf.yaml") || first == "# windows_exporter.yml" {
				texts[name+": "+block] = block
			}
		}
	}
	if len(texts) < 4 {
		t.Errorf("only %d configurations", len(texts))
	}

	for where, text := range texts {
		c, err := ParseConfig(where, []byte(text), Sections{})
		if err == nil {
			err = c.Check()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestCommentedKeys: what stands commented out in the configuration that comes with the program is
// right without the sign, too.
func TestCommentedKeys(t *testing.T) {
	text := readText(t, root+"dist/winperf.yaml")
	commented := regexp.MustCompile(`(?m)^( *)# (( *)(- )?[a-z_]+:( .*)?|  *- .*)$`)
	all := commented.ReplaceAllString(text, "$1$2")
	if strings.Count(text, "\n#")-strings.Count(all, "\n#") < 15 {
		t.Fatalf("too little was commented out:\n%s", all)
	}
	c, err := ParseConfig("winperf.yaml", []byte(all), Sections{})
	if err != nil {
		t.Fatalf("%v\n%s", err, all)
	}
	lists := []int{len(c.Paths), len(c.Objects), len(c.Exclude), len(c.Counters), len(c.Push)}
	if !slices.Equal(lists, []int{2, 6, 1, 1, 2}) || c.Web.ConfigFile == "" {
		t.Errorf("%+v", c)
	}
}

// The documentation quotes the unit for systemd about addresses.
func TestServiceAddresses(t *testing.T) {
	unit, page := readText(t, root+"dist/winperf.service"), readText(t, documents+"serve.md")
	n := 0
	for line := range strings.Lines(unit) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "IPAddress") {
			continue
		}
		if n++; !strings.Contains(page, "`"+line+"`") {
			t.Errorf("docs/serve.md does not mention %s", line)
		}
	}
	if n != 2 {
		t.Errorf("the unit has %d lines about addresses", n)
	}
}
