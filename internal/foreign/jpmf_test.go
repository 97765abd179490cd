package foreign_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// docs/jpmf.md has a row for every requirement and every weakness, and the tests that it names
// exist.
func TestRequirements(t *testing.T) {
	doc, err := os.ReadFile("../../docs/jpmf.md")
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

	named := regexp.MustCompile("`([a-z/]+)\\.(Test\\w+)`").FindAllSubmatch(doc, -1)
	if len(named) < 100 {
		t.Fatalf("only %d tests are named", len(named))
	}
	tests := map[string][]byte{}
	for _, m := range named {
		room, name := string(m[1]), string(m[2])
		if tests[room] == nil {
			tests[room] = testFiles(t, room)
		}
		if !regexp.MustCompile(`(?m)^func ` + name + `\(`).Match(tests[room]) {
			t.Errorf("%s has no test %s", room, name)
		}
	}
}

// testFiles are the files with the tests of a package, one after the other.
func testFiles(t *testing.T, room string) []byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", room, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", room, err)
	}
	var all []byte
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}
