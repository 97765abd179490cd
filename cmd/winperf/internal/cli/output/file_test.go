package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestOverwrite checks what is in a file that is to be replaced while it is written, and afterwards.
func TestOverwrite(t *testing.T) {
	write := func(f *File) error { _, err := f.Write([]byte("new")); return err }
	for _, tt := range []struct {
		name  string
		steps []func(*File) error
		want  []string // after each step
	}{
		{"written", []func(*File) error{write, write, (*File).Close}, []string{"new", "newnew", "newnew"}},
		{"nothing to write", []func(*File) error{(*File).Close}, []string{""}},
		{"abandoned", []func(*File) error{(*File).Abandon}, []string{"old content"}},
		{"abandoned too late", []func(*File) error{write, (*File).Abandon}, []string{"new", "new"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(name, []byte("old content"), 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := Target{Name: name, Mode: Overwrite}.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, step := range tt.steps {
				if err := step(f); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(name); err != nil || string(got) != tt.want[i] {
					t.Errorf("step %d: %q, %v, want %q", i, got, err, tt.want[i])
				}
			}
		})
	}
}

// TestNewFile checks that a new file stays if it has content and is complete.
func TestNewFile(t *testing.T) {
	for _, text := range []string{"", "x"} {
		for _, abandon := range []bool{true, false} {
			name := filepath.Join(t.TempDir(), "x")
			f, err := Target{Name: name}.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Write([]byte(text))
			if end := map[bool]func() error{true: f.Abandon, false: f.Close}[abandon]; errors.Join(err, end()) != nil {
				t.Fatal("the file cannot be written")
			}
			_, err = os.Stat(name)
			if stays := text != "" && !abandon; errors.Is(err, fs.ErrNotExist) == stays {
				t.Errorf("%q, abandoned %v: %v", text, abandon, err)
			}
		}
	}
}
