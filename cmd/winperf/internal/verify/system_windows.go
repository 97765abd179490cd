package verify

import (
	"path/filepath"

	"github.com/winperf/winperf/internal/winapi"
)

// systemProgram returns the path of a program of Windows, or "".
func systemProgram(name string) string {
	dir, err := winapi.SystemDirectory()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name+".exe")
}
