package winperf_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

var (
	_ encoding.TextMarshaler   = winperf.GUID{}
	_ encoding.TextUnmarshaler = (*winperf.GUID)(nil)
)

// counted is a GUID whose bytes in memory count up.
var counted = winperf.GUID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

const countedText = "{03020100-0504-0706-0809-0a0b0c0d0e0f}"

func TestGUID(t *testing.T) {
	if s := counted.String(); s != countedText {
		t.Errorf("String = %s, want %s", s, countedText)
	}
	for _, text := range []string{countedText, strings.ToUpper(countedText), strings.Trim(countedText, "{}")} {
		got, err := winperf.ParseGUID(text)
		if err != nil || got != counted {
			t.Errorf("ParseGUID(%s) = %s, %v", text, got, err)
		}
	}
	if counted.IsZero() || !(winperf.GUID{}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

func TestParseGUIDErrors(t *testing.T) {
	const form = ", expected {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}"
	for _, test := range []struct{ text, want string }{
		{"", `bad data: GUID "" of 0 bytes` + form},
		{"{", `bad data: GUID "{" of 1 bytes` + form},
		{"{}", `bad data: GUID "{}" of 2 bytes` + form},
		{countedText[:37], `bad data: GUID "{03020100-0504-0706-0809-0a0b0c0d0e0f" of 37 bytes` + form},
		{countedText[1:], `bad data: GUID "03020100-0504-0706-0809-0a0b0c0d0e0f}" of 37 bytes` + form},
		{countedText + "\n", `bad data: GUID "{03020100-0504-0706-0809-0a0b0c0d0e0f}` + "\uFFFD" + `" of 39 bytes` + form},
		{"{03020100x0504-0706-0809-0a0b0c0d0e0f}", `bad data: GUID "{03020100x0504-0706-0809-0a0b0c0d0e0f}", byte offset 9: expected a hyphen`},
		{"{03020100-0504-0706-08090-a0b0c0d0e0f}", `bad data: GUID "{03020100-0504-0706-08090-a0b0c0d0e0f}", byte offset 24: expected a hyphen`},
		{"0302010g-0504-0706-0809-0a0b0c0d0e0f", `bad data: GUID "0302010g-0504-0706-0809-0a0b0c0d0e0f", byte offset 6: expected two hexadecimal digits`},
		{"{+3020100-0504-0706-0809-0a0b0c0d0e0f}", `bad data: GUID "{+3020100-0504-0706-0809-0a0b0c0d0e0f}", byte offset 1: expected two hexadecimal digits`},
	} {
		got, err := winperf.ParseGUID(test.text)
		if err == nil || err.Error() != test.want || !errors.Is(err, winperf.ErrBadData) || !got.IsZero() {
			t.Errorf("ParseGUID(%s) = %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}

func TestGUIDText(t *testing.T) {
	data, err := json.Marshal(counted)
	if err != nil || string(data) != `"`+countedText+`"` {
		t.Fatalf("Marshal = %s, %v", data, err)
	}
	var back winperf.GUID
	if err := json.Unmarshal(data, &back); err != nil || back != counted {
		t.Errorf("Unmarshal = %s, %v", back, err)
	}
	if err := back.UnmarshalText([]byte("x")); !errors.Is(err, winperf.ErrBadData) || back != counted {
		t.Errorf("UnmarshalText of a bad text = %v and sets %s", err, back)
	}
}

// FuzzGUID: what parses is the text of the same GUID, but for case and braces.
func FuzzGUID(f *testing.F) {
	f.Add(countedText)
	f.Add("FFFFFFFF-0000-FFFF-0000-000000000001")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := winperf.ParseGUID(text)
		if err != nil {
			if !errors.Is(err, winperf.ErrBadData) || !g.IsZero() {
				t.Errorf("ParseGUID(%q) = %s, %v", text, g, err)
			}
			return
		}
		if s := g.String(); s != "{"+strings.ToLower(strings.Trim(text, "{}"))+"}" {
			t.Errorf("ParseGUID(%q) = %s", text, s)
		}
	})
}

// Two identities are of one object by GUID where both have one, else by title index.
func TestObjectIDIs(t *testing.T) {
	other := winperf.GUID{1}
	for _, tt := range []struct {
		a, b winperf.ObjectID
		want bool
	}{
		{winperf.ObjectID{Index: 2}, winperf.ObjectID{Index: 2}, true},
		{winperf.ObjectID{Index: 2}, winperf.ObjectID{Index: 4}, false},
		{winperf.ObjectID{}, winperf.ObjectID{}, false},
		{winperf.ObjectID{GUID: counted}, winperf.ObjectID{Index: 4, GUID: counted}, true},
		{winperf.ObjectID{Index: 2, GUID: counted}, winperf.ObjectID{Index: 2, GUID: other}, false},
		{winperf.ObjectID{Index: 2, GUID: counted}, winperf.ObjectID{Index: 2}, true},
		{winperf.ObjectID{GUID: counted}, winperf.ObjectID{Index: 2}, false},
	} {
		if tt.a.Is(tt.b) != tt.want || tt.b.Is(tt.a) != tt.want {
			t.Errorf("%v is %v: %v, want %v", tt.a, tt.b, !tt.want, tt.want)
		}
	}
}

func TestSeries(t *testing.T) {
	p := mustParse(t, `\\host\Process(svchost#1)\ID Process`)
	for _, s := range []*winperf.Series{winperf.NewSeries(p), {Path: p}} {
		if s.String() != p.String() || s.Path != p {
			t.Errorf("Series of %s: String %s", p, s)
		}
	}
	if s := winperf.NewSeries(p); testing.AllocsPerRun(10, func() { _ = s.String() }) != 0 {
		t.Error("the text of a Series is made again")
	}

	for _, s := range []*winperf.Series{winperf.NewSeries(p), {Path: p, Scale: -2}} {
		was := *s
		c := s.Clone()
		*s = winperf.Series{Path: mustParse(t, `\O\C`)}
		if c.ID != was.ID || c.Path != p || c.Scale != was.Scale || c.String() != p.String() {
			t.Errorf("clone %+v, want %+v", c, was)
		}
		if testing.AllocsPerRun(10, func() { _ = c.String() }) != 0 {
			t.Error("the text of a clone is made again")
		}
	}
}
