package machineurl_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/machineurl"
)

func TestParse(t *testing.T) {
	const form = "x:[//MACHINE][?lang=ID]"
	short := func(value string) bool { return len(value) < 4 }
	for _, c := range []struct{ rest, machine, value, fault string }{
		{"", "", "", ""},
		{"//HOST", "HOST", "", ""},
		{`\\HOST?lang=009`, "HOST", "009", ""},
		{"?lang=%30", "", "0", ""},
		{"HOST", "", "", `machine "HOST"`},
		{"//", "", "", `machine "//"`},
		{"//a/b", "", "", `machine "//a/b"`},
		{"//a b", "", "", `machine "//a b"`},
		{"///a", "", "", `machine "///a"`},
		{"?", "", "", `option ""`},
		{"?lang=", "", "", `option "lang="`},
		{"?lang=long", "", "", `option "lang=long"`},
		{"?lang=%zz", "", "", `option "lang=%zz"`},
		{"?long=1", "", "", `option "long=1"`},
	} {
		machine, value, err := machineurl.Parse(c.rest, form, "lang", short)
		if machine != c.machine || value != c.value || (err == nil) != (c.fault == "") {
			t.Errorf("%s: %q, %q, error %v", c.rest, machine, value, err)
		}
		if err == nil {
			continue
		}
		want := c.fault + " is not supported, expected " + form
		if err.Error() != want || !errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("%s: error %q, want %q", c.rest, err, want)
		}
	}
}

func ExampleParse() {
	machine, language, err := machineurl.Parse("//SERVER?lang=007", "perflib:[//MACHINE][?lang=ID]", "lang", nil)
	fmt.Println(machine, language, err)
	// Output: SERVER 007 <nil>
}
