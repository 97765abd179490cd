package view_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDocs: the examples of docs/view.md have the fields and types of real answers.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "view.md"))
	if err != nil {
		t.Fatal(err)
	}
	golden := map[string]string{"range": "range_step"}
	found := 0
	for section := range strings.SplitSeq(string(text), "\n### GET /api/v1/") {
		name, rest, _ := strings.Cut(section, "\n")
		name, _, _ = strings.Cut(name, "?")
		if found++; found == 1 {
			continue // the text before the first request
		}
		if name == "page" {
			continue // it is no JSON; package web tests its lines
		}
		_, rest, _ = strings.Cut(rest, "```json\n")
		example, _, _ := strings.Cut(rest, "```\n")
		var want, got any
		if err := json.Unmarshal([]byte(example), &want); err != nil {
			t.Errorf("%s: %v in %s", name, err, example)
			continue
		}
		file := name
		if golden[name] != "" {
			file = golden[name]
		}
		answer, err := os.ReadFile(filepath.Join("testdata", file+".json"))
		if err == nil {
			err = json.Unmarshal(answer, &got)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		sameShape(t, name, want, got)
	}

	if found != 10 {
		t.Errorf("%d requests in docs/view.md", found-1)
	}
}

// sameShape compares the fields and types of two values. null is of any type.
func sameShape(t *testing.T, at string, want, got any) {
	t.Helper()
	if want == nil || got == nil {
		return
	}
	if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
		t.Errorf("%s is a %T, in docs/view.md a %T", at, got, want)
		return
	}
	switch want := want.(type) {
	case map[string]any:
		got := got.(map[string]any)
		if a, b := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(a, b) {
			t.Errorf("%s has the fields %v, in docs/view.md %v", at, b, a)
		}
		for key := range want {
			sameShape(t, at+"."+key, want[key], got[key])
		}
	case []any:
		if got := got.([]any); len(want) > 0 && len(got) > 0 {
			sameShape(t, at+"[]", want[0], got[0])
		}
	}
}
