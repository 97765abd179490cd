package input

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// encodeUTF16 writes text as PowerShell redirects it.
func encodeUTF16(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		b.Write([]byte{byte(u), byte(u >> 8)})
	}
	return b.String()
}

func TestReadPaths(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
		err      string
	}{
		{"plain", "\\A\\B\n\\C(x#1)\\D", []string{`\A\B`, `\C(x#1)\D`}, ""},
		{"comments", "# a\n; b\n\n  \\A\\B \r\n", []string{`\A\B`}, ""},
		{"quotes", "\"\\A\\B\"\r\n", []string{`\A\B`}, ""},
		{"mark", "\ufeff\\A\\B\n", []string{`\A\B`}, ""},
		{"UTF-16", encodeUTF16("\\A(ü)\\B\r\n\\C\\D\r\n"), []string{`\A(ü)\B`, `\C\D`}, ""},
		{"UTF-16 without a mark", strings.TrimPrefix(encodeUTF16("\\A(ü)\\B\r\n"), "\xff\xfe"), []string{`\A(ü)\B`}, ""},
		{"empty", "", nil, ""},
		{"fault", "\n\\A\\B\nC\n", nil, "line 3: bad counter path"},
		{"long", "\\A\\B\n\\" + strings.Repeat("x", 1<<16), nil, "line 2: longer than 65536 bytes"},
		{"many", strings.Repeat("\\A\\B\n", maxPaths+1), nil, fmt.Sprintf("line %d: more than %d paths", maxPaths+1, maxPaths)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			paths, err := readPaths(strings.NewReader(test.in))
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) {
					t.Fatalf("error %v, want one that begins with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range paths {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzReadPaths checks that what was read can be written and read again.
func FuzzReadPaths(f *testing.F) {
	f.Add("\\A\\B\n# x\n\"\\C(d#1)\\E\"\n")
	f.Add(encodeUTF16("\\A\\B\n"))
	f.Fuzz(func(t *testing.T, in string) {
		paths, err := readPaths(strings.NewReader(in))
		if err != nil {
			if paths != nil {
				t.Errorf("%d paths and the error %v", len(paths), err)
			}
			return
		}
		for _, p := range paths {
			again, err := winperf.ParsePath(p.String())
			if err != nil || again != p {
				t.Errorf("%q reads back as %q, %v", p, again, err)
			}
		}
	})
}

func TestTooManyPaths(t *testing.T) {
	args := make([]string, maxPaths+1)
	for i := range args {
		args[i] = `\A\B`
	}
	if _, err := Paths(t.Context(), &console.App{}, args, &SelectFlags{}); err == nil || !strings.Contains(err.Error(), "at most 10000") {
		t.Errorf("error %v", err)
	}
	if _, err := Paths(t.Context(), &console.App{}, []string{"x", "y"}, &SelectFlags{}); !errors.Is(err, winperf.ErrPath) || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("error %v, want one for each path", err)
	}
}
