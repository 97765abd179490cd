package source_test

import (
	"errors"
	"testing"

	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source"
)

// Providers go with every form of the URL.
func TestOpenLocalProviders(t *testing.T) {
	opt := source.Options{Providers: []provider.Provider{shop{}}}
	for _, url := range []string{"", "Local:", "local:?kernel=fold"} {
		src, err := source.OpenWith(t.Context(), url, opt)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := src.Schema(t.Context())
		if err := errors.Join(err, src.Close()); err != nil {
			t.Fatal(err)
		}
		if names, _ := nametable.FromSchema(schema); len(names.Lookup("Shop")) != 1 {
			t.Errorf("%s: the provider's object is missing", url)
		}
	}
}
