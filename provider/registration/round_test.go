package registration_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

const schemaJSON = `{
  "driver": "MyApplication", "library": "transfer.dll", "binary": "transfer.exe", "trusted": true,
  "provider": "{11111111-0000-0000-0000-000000000001}",
  "objects": [
    {"symbol": "TRANSFER", "name": "Transfer <&> \"more\"", "help": "Transfers.", "guid": "{11111111-0000-0000-0000-000000000002}",
     "languages": {"00C": {"name": "Transfert", "help": "Les transferts."}, "411": {"name": "転送"}},
     "counters": [
      {"symbol": "SENT", "name": "Bytes Sent", "help": "Bytes.", "type": "PERF_COUNTER_RAWCOUNT", "scale": -3},
      {"symbol": "FREE", "name": "Free", "help": "Free.", "type": "PERF_RAW_FRACTION", "base": "width"},
      {"symbol": "USED", "name": "Used", "help": "Used.", "type": "PERF_RAW_FRACTION", "base": "width", "detail": 200},
      {"symbol": "BUSY", "name": "Busy", "help": "Busy.", "type": "PERF_OBJ_TIME_TIMER"},
      {"symbol": "LINES", "name": "Lines", "help": "Lines.", "type": "PERF_COUNTER_MULTI_TIMER"}]},
    {"symbol": "PEER", "name": "Peer", "help": "Peers.", "guid": "{11111111-0000-0000-0000-000000000003}", "multi": true,
     "counters": [{"symbol": "SERVED", "name": "Bytes Served", "help": "Bytes.", "type": "PERF_COUNTER_BULK_COUNT"}]}
  ]
}`

func schema(t *testing.T) *registration.Declaration {
	t.Helper()
	s, err := registration.ParseDeclaration("transfer.json", []byte(schemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestINIRound writes a schema as .ini and .h and reads them again. What these
// files do not hold is left out of the comparison.
func TestINIRound(t *testing.T) {
	s := schema(t)
	ini, found := registration.ParseINI("t.ini", registration.WriteINI(s, "t.h"))
	header, more := registration.ParseHeader("t.h", registration.WriteHeader(s))
	found = append(append(found, more...), registration.CheckINI(ini, header)...)
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
	if d := cmp.Diff(want, registration.FromINI(ini, header), ignored,
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
	m, err := registration.ManifestOf(s)
	if err != nil {
		t.Fatal(err)
	}
	got, found := registration.ParseManifest("t.man", registration.WriteManifest(m))
	if len(found) > 0 {
		t.Fatalf("what was written has faults: %v", found)
	}
	places := []cmp.Option{
		cmpopts.IgnoreFields(registration.Manifest{}, "File"),
		cmpopts.IgnoreFields(registration.ManifestProvider{}, "Position"),
		cmpopts.IgnoreFields(registration.ManifestSet{}, "Position"),
		cmpopts.IgnoreFields(registration.ManifestCounter{}, "Position", "Value"),
	}
	if d := cmp.Diff(m, got, places...); d != "" {
		t.Error(d)
	}
	for i := range s.Objects {
		s.Objects[i].Languages = nil // a manifest's other languages stand elsewhere
		for k := range s.Objects[i].Counters {
			if c := &s.Objects[i].Counters[k]; c.BaseSlot != "" {
				c.BaseSlot = "base 3"
			}
		}
	}
	s.Library, s.Trusted = "", false
	if d := cmp.Diff(s, registration.FromManifest(&got.Providers[0])); d != "" {
		t.Error(d)
	}
}

func TestManifestHidden(t *testing.T) {
	m, err := registration.ManifestOf(schema(t))
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

func TestProviderObjects(t *testing.T) {
	objects := schema(t).ProviderObjects(5000)
	for _, o := range objects {
		if err := o.Check(); err != nil {
			t.Error(err)
		}
	}
	served := objects[1].Counters[0]
	want := provider.Counter{Index: 5014, Name: "Bytes Served", Help: "Bytes.", Type: counter.BulkCount}
	if d := cmp.Diff(want, served); d != "" {
		t.Error(d)
	}
}

func TestSchemaFaults(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"trusted": true`, `"trusted": 1`, "transfer.json:2:94: json: cannot unmarshal number"},
		{`"trusted": true`, `"trust": true`, `unknown field "trust"`},
		{`"PERF_RAW_FRACTION"`, `"PERF_RAW_FRICTION"`, "did you mean PERF_RAW_FRACTION?"},
		{`"driver": "MyApplication"`, `"driver": "My\\Application"`, `has a slash, which ends`},
		{`"SENT"`, `"BYTES SENT"`, `symbol "BYTES SENT" is not the name of a C constant`},
		{`"SENT"`, `"Free"`, `symbol FREE stands for something else already`},
		{`"00C"`, `"fr"`, `language "fr" is not a hexadecimal number of 3 digits`},
		{`"00C"`, `"009"`, `the English texts stand in name and help`},
		{`"transfer.exe"`, `"bin/transfer.exe"`, `want a file name without a path`},
		{`000000000003}`, `000000000002}`, `object PEER: it has the GUID of TRANSFER`},
		{`, "type": "PERF_COUNTER_MULTI_TIMER"`, ``, `counter LINES has no type`},
		{`"scale": -3`, `"scale": -11`, `scale -11 is outside -10 to 10`},
		{`"Bytes."`, `"Byt\tes."`, `formatting character`},
	} {
		_, err := registration.ParseDeclaration("transfer.json",
			[]byte(strings.ReplaceAll(schemaJSON, c.old, c.new)))
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "transfer.json") {
			t.Errorf("with %s: error %v, want %q", c.new, err, c.want)
		}
	}
}

// TestDefaults: a driver and symbols that are not given are made of the names.
func TestDefaults(t *testing.T) {
	const text = `{"objects": [
		{"name": "Shop/Till", "counters": [
			{"name": "Bytes Sent", "type": "PERF_COUNTER_RAWCOUNT"},
			{"name": "Bytes-Sent", "type": "PERF_COUNTER_RAWCOUNT"},
			{"symbol": "shop_till_bytes_sent_3", "name": "Free", "type": "PERF_COUNTER_RAWCOUNT"},
			{"name": "Bytes.Sent", "type": "PERF_COUNTER_RAWCOUNT"}]},
		{"name": "2nd", "counters": [{"name": "Größe", "type": "PERF_COUNTER_RAWCOUNT"}]}]}`
	s, err := registration.ParseDeclaration("d.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{s.Driver}
	for _, o := range s.Objects {
		got = append(got, o.Symbol)
		for _, c := range o.Counters {
			got = append(got, c.Symbol)
		}
	}
	want := []string{"Shop_Till", "SHOP_TILL", "SHOP_TILL_BYTES_SENT", "SHOP_TILL_BYTES_SENT_2",
		"shop_till_bytes_sent_3", "SHOP_TILL_BYTES_SENT_4", "_2ND", "_2ND_GR__E"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestFaultsInLines: every fault of a declaration stands in a line with the file's name,
// which nothing else stands before.
func TestFaultsInLines(t *testing.T) {
	const text = `{"objects": [{"name": "A", "counters": [
		{"name": "One", "type": "PERF_COUNTER_RAWCOUNT", "scale": 11},
		{"name": "Two", "type": "PERF_COUNTER_RAWCOUNT", "scale": 12}]}]}`
	for text, want := range map[string]string{
		text: "d.json: object 2 \"A\": counter 4 \"One\": scale 11 is outside -10 to 10\n" +
			"d.json: object 2 \"A\": counter 6 \"Two\": scale 12 is outside -10 to 10",
		`{"objects": [{"name": "A"}, {"name": "B", "counters": [{"name": "C"}]}, {}]}`: "" +
			"d.json: counter B_C has no type\n" +
			`d.json: object "": symbol "" is empty` + "\n" +
			"d.json: object : has no name",
	} {
		_, err := registration.ParseDeclaration("d.json", []byte(text))
		if !errors.Is(err, registration.ErrInvalid) || err.Error() != want {
			t.Errorf("error\n%v\nwant\n%s", err, want)
		}
	}
}

func TestManifestNeeds(t *testing.T) {
	_, err := registration.ManifestOf(&registration.Declaration{Driver: "x",
		Objects: []registration.Object{{Symbol: "S"}}})
	for _, want := range []string{"GUID of the provider", "the binary", "GUID of S"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestSymbols(t *testing.T) {
	m, err := registration.ManifestOf(schema(t))
	if err != nil {
		t.Fatal(err)
	}
	text := string(registration.WriteSymbols(m))
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
	utf16, _ := registration.ParseINI("t.ini", registration.WriteINI(schema(t), "t.h"))
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
		ini, _ := registration.ParseINI("t.ini", c.data)
		if texts := ini.Texts(); len(texts) != 11 || !strings.HasSuffix(texts[7], c.want) {
			t.Errorf("%s: %q", c.name, texts)
		}
	}
	if _, found := registration.ParseINI("t.ini", []byte{0xFE, 0xFF, 0, '['}); len(found) == 0 ||
		!strings.Contains(found[0].Msg, "big-endian UTF-16") {
		t.Errorf("big-endian UTF-16: %v", found)
	}
	if _, found := registration.ParseINI("t.ini", []byte{0xFF, 0xFE, '\n', 0, ' '}); len(found) == 0 ||
		found[0].Error() != "t.ini:2: odd number of bytes: the last UTF-16 character is cut" {
		t.Errorf("odd UTF-16: %v", found)
	}
}

func FuzzFiles(f *testing.F) {
	for _, text := range []string{goodHeader, goodINI, goodManifest, schemaJSON} {
		f.Add([]byte(text))
	}
	for _, c := range broken {
		f.Add([]byte(c.new))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		header, found := registration.ParseHeader("x", data)
		ini, more := registration.ParseINI("x", data)
		manifest, rest := registration.ParseManifest("x", data)
		found = append(append(append(found, more...), rest...), registration.CheckINI(ini, header)...)
		for _, f := range found {
			if f.Msg == "" || f.Line < 0 || f.Column < 0 {
				t.Errorf("finding %+v", f)
			}
		}
		if len(rest) == 0 { // a correct manifest stays what it is
			again, found := registration.ParseManifest("x", registration.WriteManifest(manifest))
			if len(found) > 0 || len(again.Providers) != len(manifest.Providers) {
				t.Errorf("written again it has faults: %v", found)
			}
		}
		if s, err := registration.ParseDeclaration("x", data); err == nil {
			ini, found := registration.ParseINI("x", registration.WriteINI(s, "x.h"))
			header, more := registration.ParseHeader("x.h", registration.WriteHeader(s))
			if err := append(append(found, more...),
				registration.CheckINI(ini, header)...).Err(); err != nil {
				t.Errorf("a good schema makes files with faults: %v", err)
			}
		}
	})
}
