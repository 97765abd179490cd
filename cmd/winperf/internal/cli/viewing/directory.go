package viewing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// extensions are the extensions of logs in a directory, also compressed.
var extensions = []string{".capture", ".blg", ".csv", ".tsv", ".jsonl", ".ndjson"}

// joinDirectory returns the log of the files in a directory, one for each machine.
func joinDirectory(ctx context.Context, name string, how source.Options) ([]winperf.Source, error) {
	return view.Join(ctx, func() ([]view.Part, error) {
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}

		var parts []view.Part
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || !isLog(entry.Name()) {
				continue // a file that was removed in the meantime is a gap
			}
			file := filepath.Join(name, entry.Name())
			parts = append(parts, view.Part{
				Name: entry.Name(), Version: fmt.Sprint(info.Size(), info.ModTime().UnixNano()), Size: info.Size(),
				Open: func(ctx context.Context) (winperf.Source, error) { return source.OpenLog(ctx, file, how) },
			})
		}
		return parts, nil
	})
}

func isLog(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return slices.Contains(extensions, filepath.Ext(name))
}
