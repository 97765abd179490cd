package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/perfdata"
)

// TestDumpRawNames dumps instances that have no name as such, though paths call them by
// their unique id or their position.
func TestDumpRawNames(t *testing.T) {
	const text = `block name="H"
object 238
  counter 6 PERF_COUNTER_RAWCOUNT
  instance "" id=7 : 1
  instance "" : 2
  instance "a" : 3
`
	block, err := perfdata.ParseText([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(file, bytes, 0o600); err != nil {
		t.Fatal(err)
	}

	got := run(t, "dump", file, "-o", "json")
	for _, want := range []string{
		`{"name":"","parent":null,"unique_id":7,"raw":[1]}`,
		`{"name":"","parent":null,"unique_id":-1,"raw":[2]}`,
		`{"name":"a","parent":null,"unique_id":-1,"raw":[3]}`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}
