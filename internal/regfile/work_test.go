package regfile_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/provider/registration"
)

const (
	manifestHead = `<instrumentationManifest><instrumentation><counters xmlns="` +
		`http://schemas.microsoft.com/win/2005/12/counters">` + "\n"
	manifestTail = "</counters></instrumentation></instrumentationManifest>\n"
	providerHead = `<provider applicationIdentity="t.exe" providerGuid="{11111111-0000-0000-0000-000000000001}" symbol="P">` + "\n"
	setHead      = `<counterSet guid="{11111111-0000-0000-0000-000000000002}" uri="T" symbol="S" name="T" description="T">` + "\n"
	setTail      = "</counterSet>\n</provider>\n"
)

// repeat writes a format n times, with the numbers from 0 on for @.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, strings.ReplaceAll(format, "@", "%[1]d"), i)
	}
	return b.String()
}

// header is a header with n symbols, the first an object.
func header(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "#define SYMBOL_%d %d\n", i, 2*i)
	}
	return b.String()
}

// ini is an .ini file next to header, with languages and texts.
func ini(languages, texts string) string {
	return "[info]\ndrivername=D\nsymbolfile=t.h\n[objects]\nSYMBOL_0_009_NAME=\n[languages]\n" + languages +
		"[text]\n" + texts
}

// set is a manifest with one set.
func set(counters string) string {
	return manifestHead + providerHead + setHead + counters + setTail + manifestTail
}

const goodCounter = `<counter id="@" uri="T.@" symbol="C@" name="C@" description="D." type="perf_counter_rawcount" detailLevel="standard"/>` + "\n"

// large are files that grow with n, as somebody may have written them: good ones
// and such as are nothing but faults.
var large = map[string]func(n int) map[string]string{
	"header": func(n int) map[string]string { return map[string]string{"t.h": header(n)} },
	"header, faults": func(n int) map[string]string {
		return map[string]string{
			"t.h": repeat(n, "#define S@ 3\n")}
	},
	"ini": func(n int) map[string]string {
		return map[string]string{"t.ini": ini("009=\n", repeat(n, "SYMBOL_@_009_NAME=N @\n")),
			"t.h": header(n)}
	},
	"ini, help texts": func(n int) map[string]string {
		return map[string]string{"t.ini": ini("009=\n", repeat(n, "SYMBOL_@_009_HELP=N @\n")),
			"t.h": header(n)}
	},
	"ini, objects": func(n int) map[string]string {
		texts := repeat(n, "SYMBOL_@_009_NAME=N @\n")
		objects := "[objects]\n" + repeat(n, "SYMBOL_@_009_NAME=\n")
		return map[string]string{"t.ini": strings.Replace(ini("009=\n", texts),
			"[objects]\nSYMBOL_0_009_NAME=\n", objects, 1), "t.h": header(n)}
	},
	"ini, unknown symbols": func(n int) map[string]string {
		return map[string]string{"t.ini": ini("009=\n", repeat(n, "SIMBOL_@_009_NAME=N @\n")),
			"t.h": header(n)}
	},
	"ini, languages": func(n int) map[string]string {
		languages := ""
		for i := range n / 8 {
			languages += fmt.Sprintf("%03x=\n", i)
		}
		return map[string]string{"t.ini": ini(languages, ""), "t.h": header(n)}
	},
	"ini, no languages": func(n int) map[string]string {
		return map[string]string{"t.ini": ini("009=\n", repeat(n, "SYMBOL_@_00C_NAME=N @\n")),
			"t.h": header(n)}
	},
	"manifest": func(n int) map[string]string {
		return map[string]string{
			"t.man": set(repeat(n, goodCounter))}
	},
	"manifest, one base": func(n int) map[string]string {
		counters := strings.ReplaceAll(goodCounter, "perf_counter_rawcount\"",
			"perf_raw_fraction\" baseID=\"0\"")
		base := `<counter id="0" uri="B" type="perf_raw_base" detailLevel="standard"><counterAttributes><counterAttribute name="noDisplay"/>` +
			"</counterAttributes></counter>\n"
		return map[string]string{"t.man": set(base +
			repeat(n, strings.ReplaceAll(counters, `id="@"`, `id="1@"`)))}
	},
	"manifest, sets": func(n int) map[string]string {
		sets := `<counterSet guid="{11111111-0000-0000-0000-0000@}" uri="S@" symbol="S@" name="S@" description="D.">` +
			strings.ReplaceAll(goodCounter, `@"`, `@.@"`) + "</counterSet>\n"
		return map[string]string{"t.man": manifestHead + providerHead + repeat(n, sets) + "</provider>" +
			manifestTail}
	},
	"manifest, unknown elements": func(n int) map[string]string {
		return map[string]string{"t.man": set(repeat(n, "<cuonter id=\"@\"/>\n"))}
	},
	"manifest, unknown types": func(n int) map[string]string {
		return map[string]string{"t.man": set(repeat(n,
			strings.ReplaceAll(goodCounter, "rawcount", "rowcount")))}
	},
	"manifest, attributes": func(n int) map[string]string {
		return map[string]string{"t.man": set("<counter" + repeat(n, " a@='@'") + "/>\n")}
	},
	"manifest, attributes of another code page": func(n int) map[string]string {
		lead := "<?xml version=\"1.0\" encoding=\"windows-1252\"?><!--" + strings.Repeat("\xe4", 8*n) + "-->"
		return map[string]string{"t.man": lead + set("<counter"+repeat(n, " a@='@'")+"/>\n")}
	},
	"schema, faults": func(n int) map[string]string {
		counters := repeat(n, `{"symbol": "C", "name": "C@", "type": "PERF_COUNTER_ROWCOUNT"},`+"\n")
		return map[string]string{
			"t.json": `{"driver": "D", "objects": [{"symbol": "O", "name": "O", "counters": [` +
				strings.TrimSuffix(counters, ",\n") + "]}]}"}
	},
}

// read does in this process what "provider check" does with files.
func read(files map[string]string) (found regfile.Findings) {
	if text, ok := files["t.man"]; ok {
		m, found := regfile.ParseManifest("t.man", []byte(text))
		for i := range m.Providers {
			regfile.FromManifest(&m.Providers[i])
		}
		return found
	}
	if text, ok := files["t.json"]; ok {
		_, _ = registration.ParseDeclaration("t.json", []byte(text))
		return nil
	}
	header, found := regfile.ParseHeader("t.h", []byte(files["t.h"]))
	if text, ok := files["t.ini"]; ok {
		ini, more := regfile.ParseINI("t.ini", []byte(text))
		found = append(append(found, more...), regfile.CheckINI(ini, header)...)
		regfile.FromINI(ini, header)
	}
	return found
}

// TestAllocated doubles files in which everything is in one line. So must, at
// most, the bytes that are allocated.
func TestAllocated(t *testing.T) {
	files := map[string]func(n int) map[string]string{
		"blanks": func(n int) map[string]string {
			return map[string]string{
				"t.h": strings.Repeat(" ", 16*n)}
		},
		"comments": func(n int) map[string]string {
			return map[string]string{
				"t.h": strings.Repeat("/**/", 16*n)}
		},
		"manifest": func(n int) map[string]string {
			return map[string]string{"t.man": strings.ReplaceAll(large["manifest"](n)["t.man"], "\n", " ")}
		},
	}
	allocated := func(files map[string]string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read(files)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const small = 500
	for name, make := range files {
		one, two := allocated(make(small)), allocated(make(2*small))
		if two > one*5/2 {
			t.Errorf("%s: %d bytes for %d things, %d for twice as many", name, one, small, two)
		}
	}
}

// TestMany lists so many findings and tells how many more there are.
func TestMany(t *testing.T) {
	const most = 1000
	for name, want := range map[string]string{
		"header, faults":              "t.h: and 3000 more",
		"ini, unknown symbols":        "t.ini: and 7000 more",
		"ini, languages":              "t.ini: and 1999000 more",
		"manifest, unknown elements":  "t.man: and 3001 more",
		"manifest, unknown types":     "t.man: and 3000 more",
		"manifest, good, and nothing": "",
	} {
		files, ok := large[name]
		if !ok {
			files = large["manifest"]
		}
		found := read(files(4000))
		switch {
		case want == "" && len(found) > 0:
			t.Errorf("%s: %v", name, found)
		case want != "" && (len(found) != most+1 || found[most].Error() != want || found[most].Warning):
			t.Errorf("%s: %d findings, the last %q: want %q", name, len(found), found[len(found)-1], want)
		}
	}

	// Warnings alone are no fault, however many.
	found := read(map[string]string{"t.ini": strings.Replace(ini("009=\n", "SYMBOL_0_009_NAME=N\n"),
		"[objects]", repeat(most+7, "x@=\n")+"[objects]", 1), "t.h": header(1)})
	if len(found) != most+1 || found[most].Error() != "t.ini: warning: and 7 more" || found.Err() != nil {
		t.Errorf("%d findings, the last %q, error %v", len(found), found[len(found)-1], found.Err())
	}
}

// BenchmarkCheck reads and checks files of 10,000 and 40,000 things: the time for
// each thing stays.
func BenchmarkCheck(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(large)) {
		for _, n := range []int{10_000, 40_000} {
			if name == "ini, languages" {
				n /= 10 // a tenth of it in languages, each of which asks for all names
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				files := large[name](n)
				b.ReportAllocs()
				for b.Loop() {
					read(files)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/thing")
			})
		}
	}
}

// counting builds the program so that it counts which statements it executes in
// the packages that check files.
var counting = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "winperf-counting")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "winperf")
	const module = "github.com/winperf/winperf/"
	const rooms = module + "provider/registration," + module + "internal/regfile/...," + module + "internal/suggest," +
		module + "counter," + module + "cmd/winperf/internal/cli/...," + module + "cmd/winperf"
	build := exec.Command("go", "build", "-cover", "-covermode=count", "-coverpkg="+rooms, "-o", program,
		"github.com/winperf/winperf/cmd/winperf")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if counted {
		if program, err := counting(); err == nil {
			_ = os.RemoveAll(filepath.Dir(program))
		}
	}
	os.Exit(code)
}

// counted tells whether there is a program to remove.
var counted bool

// statements returns how many statements "provider check" executes for some files.
func statements(t *testing.T, program string, files map[string]string) (total int) {
	t.Helper()
	dir, counts := t.TempDir(), t.TempDir()
	main := ""
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if main == "" || filepath.Ext(main) == ".h" {
			main = path // .ini files name their header
		}
	}
	check := exec.Command(program, "provider", "check", main)
	check.Env = append(os.Environ(), "GOCOVERDIR="+counts)
	_ = check.Run() // faults are an error; that it counted shows that it ran
	profile := exec.Command("go", "tool", "covdata", "textfmt", "-i=.", "-o=profile")
	profile.Dir = counts // whose name has a comma, which separates directories
	if out, err := profile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(counts, "profile"))
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var place string
		var in, times int
		if n, _ := fmt.Sscan(lines.Text(), &place, &in, &times); n == 3 { // the first line has none
			total += in * times
		}
	}
	return total
}

// TestWork doubles the files. So must, at most, the statements that are executed:
// with a loop in a loop there are four times as many.
func TestWork(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: go is missing, which builds a program that counts")
	}
	counted = true
	program, err := counting()
	if err != nil {
		t.Fatal(err)
	}
	const small = 1000
	for name, files := range large {
		t.Run(name, func(t *testing.T) {
			one, two := statements(t, program, files(small)), statements(t, program, files(2*small))
			if one < small {
				t.Fatalf("%d statements for %d things: nothing was checked", one, small)
			}
			if two > one*5/2 {
				t.Errorf("%d statements for %d things, %d for twice as many", one, small, two)
			}
			t.Logf("%d, %d", one, two)
		})
	}
}
