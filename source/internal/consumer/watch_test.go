package consumer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// TestWatch reads paths in two languages through the measurement loop: rates,
// statuses, and an instance that another takes the place of.
func TestWatch(t *testing.T) {
	f := newFake()
	f.german = true
	src, err := f.source(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	sel := paths(t, `\Disk(*)\Counter 2`, `\Deutsch Clock\Counter 7`, `\Dead(*)\*`, `\Disk(X:)\Counter 1`,
		`\Disk(C:)\Counter 9`)
	m := measure.New(src, sel, measure.Options{Language: "009"})
	defer m.Close()
	var got []string
	for range 3 {
		cycle, err := m.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var line []string
		for _, r := range cycle.Readings() {
			v := r.Value.String()
			if r.Status != counter.OK {
				v = r.Status.String()
			}
			line = append(line, fmt.Sprintf("%s=%s", strings.TrimPrefix(r.Series.String(), `\\HOST`), v))
		}
		got = append(got, strings.Join(line, " "))
		f.tick(2 * time.Second)
		f.mu.Lock()
		f.sets[0].instances[1].ID += 100 // another disk with the same letter
		f.mu.Unlock()
	}
	want := []string{
		`\Disk(C:)\Counter 2=no_previous \Disk(D:)\Counter 2=no_previous \Disk(_Total)\Counter 2=no_previous \Clock\Counter 7=7 \Dead(*)\*=no_instance \Disk(X:)\Counter 1=no_instance \Disk(C:)\Counter 9=no_counter`,
		`\Disk(C:)\Counter 2=10 \Disk(D:)\Counter 2=no_previous \Disk(_Total)\Counter 2=10 \Clock\Counter 7=27 \Dead(*)\*=no_instance \Disk(X:)\Counter 1=no_instance \Disk(C:)\Counter 9=no_counter`,
		`\Disk(C:)\Counter 2=10 \Disk(D:)\Counter 2=no_previous \Disk(_Total)\Counter 2=10 \Clock\Counter 7=47 \Dead(*)\*=no_instance \Disk(X:)\Counter 1=no_instance \Disk(C:)\Counter 9=no_counter`,
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("cycle %d:\n%s\nwant\n%s", i, got[i], want[i])
		}
	}
	m2 := measure.New(src, winperf.Selection{Objects: []winperf.ObjectID{{GUID: disks}}}, measure.Options{})
	defer m2.Close()
	if cycle, err := m2.Cycle(t.Context()); err != nil || len(cycle.Readings()) != 6 {
		t.Error(err, len(cycle.Readings()))
	}
}
