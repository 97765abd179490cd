package push

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file without end in place of a certificate is told, and not read.
func TestSmall(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(name, bytes.Repeat([]byte("x"), maxSmall+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, config := range []TLS{{CAFile: name}, {CertFile: name, KeyFile: name}} {
		if _, err := config.config(); err == nil || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%+v: error %v", config, err)
		}
	}
}
