package regfile_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

// schemaJSON returns the declaration that package registration tests, too.
func schemaJSON(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("../../provider/registration/testdata/transfer.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func schema(t *testing.T) *registration.Declaration {
	t.Helper()
	s, err := registration.ParseDeclaration("transfer.json", schemaJSON(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestINIRound writes a schema as .ini and .h and reads them again. What these
// files do not hold is left out of the comparison.
func TestINIRound(t *testing.T) {
	s := schema(t)
	ini, found := regfile.ParseINI("t.ini", regfile.WriteINI(s, "t.h"))
	header, more := regfile.ParseHeader("t.h", regfile.WriteHeader(s))
	found = append(append(found, more...), regfile.CheckINI(ini, header)...)
	if len(found) > 0 {
		t.Fatalf("what was written has faults: %v", found)
	}
	want := s
	for i := range want.Objects {
		o := &want.Objects[i]
		for k := range o.Counters {
			c := &o.Counters[k]
			c.Type, c.Scale, c.Detail, c.BaseSlot = "", 0, 0, ""
			c.Languages = inAll(c.Text, c.Languages)
		}
		o.Languages = inAll(o.Text, o.Languages)
		o.Multi = false
	}
	ignored := cmpopts.IgnoreFields(registration.Declaration{}, "Library", "GUID", "Binary")
	if d := cmp.Diff(want, regfile.FromINI(ini, header), ignored,
		cmpopts.IgnoreFields(registration.Object{}, "GUID")); d != "" {
		t.Error(d)
	}
}

// inAll adds the English text in each language that has none.
func inAll(english provider.Text, texts map[string]provider.Text) map[string]provider.Text {
	all := map[string]provider.Text{"00C": english, "411": english}
	for id, text := range texts {
		all[id] = text
	}
	return all
}

// TestManifestRound writes a schema as a manifest and reads it again.
func TestManifestRound(t *testing.T) {
	s := schema(t)
	m, err := regfile.ManifestOf(s)
	if err != nil {
		t.Fatal(err)
	}
	got, found := regfile.ParseManifest("t.man", regfile.WriteManifest(m))
	if len(found) > 0 {
		t.Fatalf("what was written has faults: %v", found)
	}
	places := []cmp.Option{
		cmpopts.IgnoreFields(regfile.Manifest{}, "File"),
		cmpopts.IgnoreFields(regfile.ManifestProvider{}, "Position"),
		cmpopts.IgnoreFields(regfile.ManifestSet{}, "Position"),
		cmpopts.IgnoreFields(regfile.ManifestCounter{}, "Position", "Value"),
	}
	if d := cmp.Diff(m, got, places...); d != "" {
		t.Error(d)
	}
	for i := range s.Objects {
		s.Objects[i].Languages = nil // a manifest's other languages are elsewhere
		for k := range s.Objects[i].Counters {
			if c := &s.Objects[i].Counters[k]; c.BaseSlot != "" {
				c.BaseSlot = "base 3"
			}
		}
	}
	s.Library, s.Trusted = "", false
	if d := cmp.Diff(s, regfile.FromManifest(&got.Providers[0])); d != "" {
		t.Error(d)
	}
}

func TestManifestHidden(t *testing.T) {
	m, err := regfile.ManifestOf(schema(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range m.Providers[0].Sets[0].Counters {
		got = append(got, c.Symbol+" "+strings.TrimPrefix(c.Type.String(), "PERF_"))
	}
	want := []string{
		"SENT COUNTER_RAWCOUNT", "FREE RAW_FRACTION", "FREE_BASE RAW_BASE", "USED RAW_FRACTION",
		"BUSY OBJ_TIME_TIMER",
		"TRANSFER_TIME COUNTER_LARGE_RAWCOUNT", "TRANSFER_FREQ COUNTER_LARGE_RAWCOUNT",
		"LINES COUNTER_MULTI_TIMER", "LINES_MULTI COUNTER_RAWCOUNT",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestManifestNeeds(t *testing.T) {
	_, err := regfile.ManifestOf(&registration.Declaration{Driver: "x",
		Objects: []registration.Object{{Symbol: "S"}}})
	for _, want := range []string{"GUID of the provider", "the binary", "GUID of S"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestSymbols(t *testing.T) {
	m, err := regfile.ManifestOf(schema(t))
	if err != nil {
		t.Fatal(err)
	}
	text := string(regfile.WriteSymbols(m))
	for _, want := range []string{
		"#define MYAPPLICATION_PROVIDER_GUID {0x11111111, 0x0000, 0x0000, {0x00, 0x00, 0x00, 0x00, 0x00, " +
			"0x00, 0x00, 0x01}}\r\n",
		"#define USED 4\r\n", "#define SERVED 1\r\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestEncodings reads the same file in every encoding that it may have.
func TestEncodings(t *testing.T) {
	utf16, _ := regfile.ParseINI("t.ini", regfile.WriteINI(schema(t), "t.h"))
	if d := cmp.Diff(utf16.Texts()[0], `Transfer <&> "more"`); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"UTF-8", "envoyés", []byte(goodINI)},
		{"UTF-8 with a mark", "envoyés", []byte("\xEF\xBB\xBF" + goodINI)},
		{"code page 1252", "envoyés", bytes.ReplaceAll([]byte(goodINI), []byte("é"), []byte{0xE9})},
	} {
		ini, _ := regfile.ParseINI("t.ini", c.data)
		if texts := ini.Texts(); len(texts) != 11 || !strings.HasSuffix(texts[7], c.want) {
			t.Errorf("%s: %q", c.name, texts)
		}
	}
	if _, found := regfile.ParseINI("t.ini", []byte{0xFE, 0xFF, 0, '['}); len(found) == 0 ||
		!strings.Contains(found[0].Msg, "big-endian UTF-16") {
		t.Errorf("big-endian UTF-16: %v", found)
	}
	if _, found := regfile.ParseINI("t.ini", []byte{0xFF, 0xFE, '\n', 0, ' '}); len(found) == 0 ||
		found[0].Error() != "t.ini:2: odd number of bytes: the last UTF-16 character is cut" {
		t.Errorf("odd UTF-16: %v", found)
	}
}

func FuzzFiles(f *testing.F) {
	for _, text := range []string{goodHeader, goodINI, goodManifest, string(schemaJSON(f))} {
		f.Add([]byte(text))
	}
	for _, c := range broken {
		f.Add([]byte(c.new))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		header, found := regfile.ParseHeader("x", data)
		ini, more := regfile.ParseINI("x", data)
		manifest, rest := regfile.ParseManifest("x", data)
		found = append(append(append(found, more...), rest...), regfile.CheckINI(ini, header)...)
		for _, f := range found {
			if f.Msg == "" || f.Line < 0 || f.Column < 0 {
				t.Errorf("finding %+v", f)
			}
		}
		if len(rest) == 0 { // a correct manifest stays what it is
			again, found := regfile.ParseManifest("x", regfile.WriteManifest(manifest))
			if len(found) > 0 || len(again.Providers) != len(manifest.Providers) {
				t.Errorf("written again it has faults: %v", found)
			}
		}
		if s, err := registration.ParseDeclaration("x", data); err == nil {
			ini, found := regfile.ParseINI("x", regfile.WriteINI(s, "x.h"))
			header, more := regfile.ParseHeader("x.h", regfile.WriteHeader(s))
			if err := append(append(found, more...),
				regfile.CheckINI(ini, header)...).Err(); err != nil {
				t.Errorf("a good schema makes files with faults: %v", err)
			}
		}
	})
}
