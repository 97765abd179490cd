package regfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/provider/registration"
)

// TestExamples: the files next to the schema of an example are what the schema describes.
func TestExamples(t *testing.T) {
	declared := func(name string) *registration.Declaration {
		text, err := os.ReadFile(filepath.Join("../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		s, err := registration.ParseDeclaration(name, text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	transfer := declared("transfer/transfer.json")
	workers, err := regfile.ManifestOf(declared("workers/workers.json"))
	if err != nil {
		t.Fatal(err)
	}

	for name, want := range map[string][]byte{
		"transfer/transfer.ini": regfile.WriteINI(transfer, "transfer.h"),
		"transfer/transfer.h":   regfile.WriteHeader(transfer),
		"workers/workers.man":   regfile.WriteManifest(workers),
	} {
		got, err := os.ReadFile(filepath.Join("../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the schema describes: run winperf provider init --force", name)
		}
	}
}
