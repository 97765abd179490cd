package registration_test

import (
	_ "embed"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

//go:embed testdata/transfer.json
var schemaJSON string

func schema(t *testing.T) *registration.Declaration {
	t.Helper()
	s, err := registration.ParseDeclaration("transfer.json", []byte(schemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s
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
		{`"trusted": true`, `"trusted": 1`, "transfer.json:2:94: trusted: found number, expected true or false"},
		{`"trusted": true`, `"trust": true`, `unknown field "trust"`},
		{`"PERF_RAW_FRACTION"`, `"PERF_RAW_FRICTION"`, "did you mean PERF_RAW_FRACTION?"},
		{`"driver": "MyApplication"`, `"driver": "My\\Application"`, `has a slash, which ends`},
		{`"SENT"`, `"BYTES SENT"`, `symbol "BYTES SENT" is not the name of a C constant`},
		{`"SENT"`, `"Free"`, `symbol FREE is already used`},
		{`"00C"`, `"fr"`, `language "fr" is not a hexadecimal number of 3 digits`},
		{`"00C"`, `"009"`, `put the English texts into name and help`},
		{`"transfer.exe"`, `"bin/transfer.exe"`, `expected a file name without a path`},
		{`000000000003}`, `000000000002}`, `object PEER has the same GUID as TRANSFER`},
		{`, "type": "PERF_COUNTER_MULTI_TIMER"`, ``, `counter LINES has no type`},
		{`"scale": -3`, `"scale": -11`, `scale -11 is outside -10 to 10`},
		{`"Bytes."`, `"Byt\tes."`, `formatting character`},
		{`"driver": `, `"driver"= `, "transfer.json:2:11: invalid character '='"},
		{`"Transfert"`, `""`, `object TRANSFER in language 00C: has no name`},
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

// TestFormatDeclaration: a formatted declaration reads back as the same declaration.
func TestFormatDeclaration(t *testing.T) {
	declared := schema(t)
	text, err := registration.FormatDeclaration(declared)
	if err != nil {
		t.Fatal(err)
	}
	const head = "{\n  \"driver\": \"MyApplication\",\n"
	if !strings.HasPrefix(string(text), head) || !strings.HasSuffix(string(text), "}\n") {
		t.Errorf("not indented, or without a line end:\n%s", text)
	}

	again, err := registration.ParseDeclaration("again.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(declared, again); d != "" {
		t.Error(d)
	}
}

// TestCheck: a declaration made in Go is checked as one of a file, without the file's name.
func TestCheck(t *testing.T) {
	declared := schema(t)
	if err := declared.Check(); err != nil {
		t.Fatal(err)
	}

	declared.Objects = nil
	const want = "invalid registration: no objects"
	if err := declared.Check(); !errors.Is(err, registration.ErrInvalid) || err.Error() != want {
		t.Errorf("without objects: error %v", err)
	}
}

// TestFaultsInLines: every fault of a declaration is in a line with the file's name,
// which begins the line.
func TestFaultsInLines(t *testing.T) {
	const text = `{"objects": [{"name": "A", "counters": [
		{"name": "One", "type": "PERF_COUNTER_RAWCOUNT", "scale": 11},
		{"name": "Two", "type": "PERF_COUNTER_RAWCOUNT", "scale": 12}]}]}`
	for text, want := range map[string]string{
		text: "d.json: object \"A\" (index 2): counter 4 \"One\": scale 11 is outside -10 to 10\n" +
			"d.json: object \"A\" (index 2): counter 6 \"Two\": scale 12 is outside -10 to 10",
		`{"driver": "D"}`:           "d.json: no objects",
		`{"driver": "D"}` + "\n {}": "d.json:2:2: text after the end of the schema",
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
