package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadOnly checks that no file of doctor and of its checks names a function that changes a machine.
func TestReadOnly(t *testing.T) {
	changes := regexp.MustCompile(`\bos\.(Create|WriteFile|OpenFile|Mkdir|Remove|Rename|Ch|Link|Symlink|Truncate)|` +
		`RegistryEditor|InstallService|RemoveService|publish\.(Open|New|Start)|MakePrivateDirectory`)
	for _, pattern := range []string{"*.go", "../../diagnosis/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, error %v", pattern, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if found := changes.Find(text); found != nil && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s: %s", name, found)
			}
		}
	}
}
