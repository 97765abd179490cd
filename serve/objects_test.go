package serve

import (
	"strings"
	"testing"
)

// An object is up under its own name, however a path names it and whichever sample it is in.
func TestNamedObjects(t *testing.T) {
	titles := map[uint32]string{2: "System", 4: "Speicher", 24: "Bytes verfügbar", 232: "Details", 238: "Prozessor"}
	for name, c := range map[string]struct {
		paths []string
		src   *fake
		want  map[string]string
	}{
		"as they are": {
			[]string{`\Processor(*)\*`, `\Memory\*`}, &fake{}, map[string]string{"Processor": "1", "Memory": "1"},
		},
		"in small letters, and twice": {
			[]string{`\processor(0)\*`, `\Memory\*`, `\MEMORY\*`}, &fake{},
			map[string]string{"Processor": "1", "Memory": "1"},
		},
		"costly": {
			[]string{`\details(*)\*`, `\Memory\*`}, &fake{}, map[string]string{"Details": "1", "Memory": "1"},
		},
		"costly by its own name": {
			[]string{`\Details(*)\*`, `\Memory\*`}, &fake{}, map[string]string{"Details": "1", "Memory": "1"},
		},
		"in another language": {
			[]string{`\prozessor(*)\*`, `\Memory\*`}, &fake{german: titles},
			map[string]string{"Processor": "1", "Memory": "1"},
		},
		"not there": {
			[]string{`\memory\*`, `\Processor(*)\*`}, &fake{without: "Memory"},
			map[string]string{"memory": "0", "Processor": "1"},
		},
		"in a record": {
			[]string{`\details(*)\*`, `\memory\*`}, &fake{recorded: 3}, map[string]string{"Details": "1", "Memory": "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := exporter(t, c.src, Config{Paths: paths(t, c.paths...)})
			for n := range 3 {
				if n > 0 && c.src.recorded == 0 {
					rest(e)
				}
				_, text := scrape(e, "/metrics")
				if got := strings.Count(text, "\nwinperf_object_up{"); got != len(c.want) {
					t.Errorf("scrape %d tells of %d objects, want %d: %s", n, got, len(c.want), text)
				}
				for object, want := range c.want {
					if got := value(text, `winperf_object_up{object="`+object+`"}`); got != want {
						t.Errorf("scrape %d: %s is %q, want %s", n, object, got, want)
					}
				}
			}
		})
	}
}
