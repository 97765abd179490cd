package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// TestServeConfigOfArchives: the configuration that comes with the program passes its check.
func TestServeConfigOfArchives(t *testing.T) {
	var stderr bytes.Buffer
	args := []string{"serve", "--check", "--config", "../../../../dist/winperf.yaml"}
	if status := Run(context.Background(), args, strings.NewReader(""), io.Discard, &stderr); status != console.ExitDone {
		t.Errorf("exit status %d: %s", status, &stderr)
	}
	if stderr.Len() > 0 {
		t.Errorf("it says %s", &stderr)
	}
}

// TestCheckOfAllKeys: --check accepts all keys of the configuration that comes with the program, also the
// commented ones, and refuses the same file with one misspelt key in any section.
func TestCheckOfAllKeys(t *testing.T) {
	text, err := os.ReadFile("../../../../dist/winperf.yaml")
	if err != nil {
		t.Fatal(err)
	}
	commented := regexp.MustCompile(`(?m)^( *)# (( *)(- )?[a-z_]+:( .*)?|  *- .*)$`)
	all := commented.ReplaceAllString(strings.ReplaceAll(string(text), "\r\n", "\n"), "$1$2")
	for _, key := range []string{"max_series", "listen_address", "at_limit", "schema"} {
		if !strings.Contains(all, key+":") {
			t.Errorf("the file has no key %s", key)
		}
	}

	check := func(command, text string) (status int, said string) {
		name := filepath.Join(t.TempDir(), "all.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		args := []string{command, "--check", "--config", name}
		return Run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr), stderr.String()
	}
	if status, said := check("record", all); status != console.ExitDone {
		t.Errorf("exit status %d: %s", status, said)
	}
	for _, key := range []string{"max_series", "listen_address", "at_limit", "schema"} {
		for _, command := range []string{"serve", "record", "publish"} {
			status, said := check(command, strings.Replace(all, key+":", key+"x:", 1))
			want := fmt.Sprintf(`unknown key "%sx" (did you mean %[1]s?)`, key)
			if status != console.ExitFailed || strings.Count(said, "\n") != 1 || !strings.Contains(said, want) {
				t.Errorf("%s with %sx: exit status %d, %s", command, key, status, said)
			}
		}
	}
}
