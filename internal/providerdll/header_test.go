package providerdll

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pubfile"
)

var write = flag.Bool("write", false, "write cmd/winperf-provider/layout.h anew")

// source is where the C files are.
var source = filepath.Join("..", "..", "cmd", "winperf-provider")

// header is the layout as a C header.
func header() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("/* Made from internal/pubfile/pubfile.go by: go generate ./internal/providerdll */")
	line("#ifndef WINPERF_LAYOUT_H\n#define WINPERF_LAYOUT_H\n\n#include <stddef.h>\n#include <stdint.h>\n")
	number := func(name string, value uint64) {
		suffix := "u"
		if value > 1<<32-1 {
			suffix = "ull"
		}
		line("#define WP_%s %#x%s", name, value, suffix)
	}
	number("Magic", pubfile.Magic)
	number("Version", uint64(pubfile.Version))
	number("HasInstances", uint64(pubfile.HasInstances))
	number("FirstTitle", pubfile.FirstTitle)
	number("LockOffset", pubfile.LockOffset)
	number("MaxFile", pubfile.MaxFile)
	number("MaxObjects", pubfile.MaxObjects)
	number("MaxName", pubfile.MaxName)
	number("MaxFiles", pubfile.MaxFiles)
	number("SlotAlign", pubfile.SlotAlign)
	number("HeaderSize", pubfile.HeaderSize)
	number("ObjectSize", pubfile.ObjectSize)
	number("SlotBody", pubfile.SlotBody)
	sizes := map[string]int{"Header": pubfile.HeaderSize, "Object": pubfile.ObjectSize,
		"Slot": pubfile.SlotBody}
	of := ""
	var asserts []string
	end := func() {
		if of != "" {
			line("};\n%s", strings.Join(asserts, "\n"))
			line("_Static_assert(sizeof(struct wp_layout_%s) <= %d, \"%s\");", of, sizes[of], of)
		}
		asserts = nil
	}
	for _, f := range pubfile.Fields() {
		number(f.Struct+f.Name, uint64(f.Offset))
	}
	for _, f := range pubfile.Fields() {
		if f.Struct != of {
			end()
			of = f.Struct
			line("\nstruct wp_layout_%s {", of)
		}
		line("\tuint%d_t %s;", 8*f.Size, f.Name)
		asserts = append(asserts,
			fmt.Sprintf("_Static_assert(offsetof(struct wp_layout_%s, %s) == WP_%s%s, \"%s%s\");", of, f.Name,
				of, f.Name, of, f.Name))
	}
	end()
	types := ""
	for info := range counter.Types() {
		if info.Bytes == 4 || info.Bytes == 8 {
			types += fmt.Sprintf(" \\\n\tX(0x%08xu, %du)", uint32(info.Type), info.Bytes)
		}
	}
	line("\n/* Types whose values can be published, and their bytes. */\n#define WP_TYPES(X)%s", types)
	line("\n#endif")
	return b.String()
}

// TestHeader compares layout.h, which is made from Go's table, with the table.
func TestHeader(t *testing.T) {
	file := filepath.Join(source, "layout.h")
	if *write {
		if err := os.WriteFile(file, []byte(header()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") != header() {
		t.Errorf("%s is not that of internal/pubfile/pubfile.go: run go generate ./internal/providerdll",
			file)
	}
}
