package foreign_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/jpmf.md has a row for every requirement and every weakness, and the tests that it names
// exist.
func TestRequirements(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/jpmf.md")
	if err != nil {
		t.Fatal(err)
	}
	for prefix, last := range map[string]int{"R": 53, "W": 16} {
		for n := 1; n <= last; n++ {
			row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| %s%d \| [^|]+ \| [^|]+ \|$`, prefix, n))
			if found := len(row.FindAll(doc, -1)); found != 1 {
				t.Errorf("%s%d has %d rows", prefix, n, found)
			}
		}
	}

	terms, _, _ := strings.Cut(string(doc), "## Framework and sensors")
	for _, row := range regexp.MustCompile(`(?m)^\| .+ \|$`).FindAllString(terms, -1)[2:] {
		cells := strings.Split(strings.Trim(row, "|"), "|")
		if len(cells) != 3 || !regexp.MustCompile(`[RW]\d|\.Test`).MatchString(cells[2]) {
			t.Errorf("no test proves the term of the row %s", row)
		}
	}

	named := regexp.MustCompile("`([a-z/]+)\\.(Test\\w+)`").FindAllSubmatch(doc, -1)
	if len(named) < 100 {
		t.Fatalf("only %d tests are named", len(named))
	}
	tests := map[string]map[string]bool{}
	for _, m := range named {
		room, name := string(m[1]), string(m[2])
		if tests[room] == nil {
			tests[room] = testsOf(t, room)
		}
		if !tests[room][name] {
			t.Errorf("%s has no test %s", room, name)
		}
	}
}

// testsOf are the names of the tests of a package, on every system.
func testsOf(t *testing.T, room string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../../..", room, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", room, err)
	}
	all := map[string]bool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(b, -1) {
			all[string(m[1])] = true
		}
	}
	return all
}
