package zone

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestZoneRules describes zones as logs do and makes locations of that again,
// which must have the same offset at every hour of the year.
func TestZoneRules(t *testing.T) {
	zones := map[string]Info{
		"America/New_York": {
			Bias: 300, StandardName: "EST", StandardDate: Date{Month: 11, Day: 1, Hour: 2},
			DaylightName: "EDT", DaylightDate: Date{Month: 3, Day: 2, Hour: 2}, DaylightBias: -60,
		},
		"Europe/Berlin": {
			Bias: -60, StandardName: "CET", StandardDate: Date{Month: 10, Day: 5, Hour: 3},
			DaylightName: "CEST", DaylightDate: Date{Month: 3, Day: 5, Hour: 2}, DaylightBias: -60,
		},
		"Australia/Lord_Howe": {
			Bias: -630, StandardName: "+1030", StandardDate: Date{Month: 4, Day: 1, Hour: 2},
			DaylightName: "+11", DaylightDate: Date{Month: 10, Day: 1, Hour: 2}, DaylightBias: -30,
		},
		"Asia/Kolkata": {Bias: -330, StandardName: "IST", DaylightName: "IST"},
		"UTC":          {StandardName: "UTC", DaylightName: "UTC"},
	}
	for name, want := range zones {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
		zone := At(loc, start.AddDate(0, 5, 0))
		if diff := cmp.Diff(want, zone); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if read := Parse(zone.Append(nil)); read != zone {
			t.Errorf("%s: %+v, want %+v", name, read, zone)
		}
		back := zone.Location()
		if back == nil {
			t.Fatalf("%s: no location", name)
		}
		for at := start; at.Year() == 2023; at = at.Add(time.Hour) {
			wantName, want := at.In(loc).Zone()
			gotName, got := at.In(back).Zone()
			if got != want || gotName != wantName {
				t.Errorf("%s at %v: %s %d, want %s %d", name, at, gotName, got, wantName, want)
				break
			}
		}
	}
}

// TestZoneNames calls a zone whose name is only a reference by what that stands for, where
// the offset agrees, else by its hours.
func TestZoneNames(t *testing.T) {
	at := time.Date(2013, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		zone Info
		want string // "" = no location
	}{
		{Info{Bias: 480, StandardName: "@tzres.dll,-212"}, "Pacific Standard Time"},
		{Info{Bias: 420, StandardName: "@tzres.dll,-212"}, "-07"},
		{Info{Bias: 480, StandardName: "@tzres.dll,-x"}, "-08"},
		{Info{Bias: -60, StandardName: `@C:\WINDOWS\system32\tzres.dll,-322`}, "W. Europe Standard Time"},
		{Info{StandardName: "@tzres.dll,-932"}, "Coordinated Universal Time"},
		{Info{Bias: -345, StandardName: "@tzres.dll,-1"}, "+0545"},
		{Info{StandardName: "a<b>"}, "+00"},
		{Info{Bias: 480, StandardName: "@tzres.dll,-212", StandardDate: Date{Month: 11, Day: 1, Hour: 2},
			DaylightName: "@tzres.dll,-211", DaylightDate: Date{Month: 3, Day: 2, Hour: 2}, DaylightBias: -60}, "Pacific Daylight Time"},
		{Info{Bias: 60, StandardName: "S", StandardDate: Date{Year: 2013, Month: 11, Day: 30, Hour: 2},
			DaylightName: "D", DaylightDate: Date{Year: 2013, Month: 6, Day: 30, Hour: 2}, DaylightBias: -60}, "D"},
		{Info{Bias: 10_000}, ""},
		{Info{Bias: 480, StandardDate: Date{Month: 13, Day: 1}, DaylightDate: Date{Month: 3, Day: 2}}, ""},
		{Info{Bias: 480, StandardDate: Date{Month: 11, Day: 6}, DaylightDate: Date{Month: 3, Day: 2}}, ""},
		{Info{Bias: 480, StandardDate: Date{Month: 11, Day: 1}, DaylightDate: Date{Month: 3, Day: 2}, DaylightBias: 1 << 30}, ""},
	} {
		loc := test.zone.Location()
		got := ""
		if loc != nil {
			got, _ = at.In(loc).Zone()
		}
		if got != test.want {
			t.Errorf("%+v: %q, want %q", test.zone, got, test.want)
		}
	}
}

// TestZoneRulesOnly describes a zone of which only the rules are known, not the
// single changes: then the end of a year bounds a zone's periods too.
func TestZoneRulesOnly(t *testing.T) {
	pacific := Info{
		Bias:         480,
		StandardName: "Pacific Standard Time", StandardDate: Date{Month: 11, Day: 1, Hour: 2},
		DaylightName: "Pacific Daylight Time", DaylightDate: Date{Month: 3, Day: 2, Hour: 2}, DaylightBias: -60,
	}
	zone := At(pacific.Location(), time.Date(2013, 7, 1, 0, 0, 0, 0, time.UTC))
	if diff := cmp.Diff(pacific, zone); diff != "" {
		t.Error(diff)
	}
}

// TestNamed replaces references by names where the bias is one of that name.
func TestNamed(t *testing.T) {
	for _, test := range []struct {
		name string
		bias int
		want string
	}{
		{"@tzres.dll,-212", 480, "Pacific Standard Time"},
		{"@tzres.dll,-211", 420, "Pacific Daylight Time"},
		{"@tzres.dll,-212", 420, ""},
		{"@tzres.dll,-211", 480, ""},
		{"@tzres.dll,-932", 0, "Coordinated Universal Time"},
		{"@tzres.dll,-932", 60, ""},
		{"EET", -120, "EET"},
		{"", 0, ""},
	} {
		if got := Named(test.name, test.bias); got != test.want {
			t.Errorf("%q with %d: %q, want %q", test.name, test.bias, got, test.want)
		}
	}
}
