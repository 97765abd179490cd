package view_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/view"
)

// busyLog writes one hour of a busy server as csv: two processors, two disks, memory and 40 processes, and
// what fault adds. All values vary, and some depend on each other, as on a real machine.
func busyLog(t *testing.T, seed uint64, fault func(second int, v map[string]float64)) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	noise := func(mean, spread float64) float64 { return max(0, mean+spread*random.NormFloat64()) }
	const disk, process = `\PhysicalDisk(%d C:)\%s`, `\Process(%s)\%s`
	levels := map[string]float64{}
	var order []string
	var b strings.Builder
	for second := range 3600 {
		v := map[string]float64{}
		load := 20 + 10*math.Sin(float64(second)/600) // a slow change that everything follows
		total, reads := 0.0, 0.0
		for p := range 40 {
			name := fmt.Sprintf("service%02d", p)
			used := noise(load/40, 1.5)
			total += used
			v[fmt.Sprintf(process, name, "% Processor Time")] = used
			if levels[name] == 0 {
				levels[name] = noise(80e6, 40e6)
			}
			levels[name] += 2e5 * random.NormFloat64()
			v[fmt.Sprintf(process, name, "Private Bytes")] = math.Abs(levels[name])
			v[fmt.Sprintf(process, name, "Handle Count")] = math.Round(noise(300, 5))
			v[fmt.Sprintf(process, name, "IO Read Bytes/sec")] = noise(2e4, 2e4)
		}
		for d := range 2 {
			v[fmt.Sprintf(disk, d, "Disk Reads/sec")] = noise(60, 20)
			reads += v[fmt.Sprintf(disk, d, "Disk Reads/sec")]
			v[fmt.Sprintf(disk, d, "Avg. Disk sec/Read")] = noise(0.004, 0.001)
			v[fmt.Sprintf(disk, d, "Current Disk Queue Length")] = math.Round(noise(0.5, 0.7))
			v[fmt.Sprintf(disk, d, "% Idle Time")] = min(100, noise(80, 8))
		}
		v[`\Memory\Pages/sec`] = noise(40, 40)
		v[`\Memory\Available Bytes`] = noise(4e9, 3e7)
		v[`\System\Context Switches/sec`] = noise(5000+100*load, 300)
		v[`\System\System Up Time`] = float64(86400 + second)
		v[`\System\Processor Queue Length`] = math.Round(noise(1, 1))
		fault(second, v)
		for p := range 40 {
			total += v[fmt.Sprintf(process, fmt.Sprintf("service%02d", p), "% Processor Time")]
		}
		v[`\Processor(_Total)\% Processor Time`] = min(100, total/4)
		v[`\Process(_Total)\% Processor Time`] = total / 2

		if order == nil {
			for name := range v {
				order = append(order, name)
			}
			slices.Sort(order)
			b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
			for _, name := range order {
				fmt.Fprintf(&b, `,"\\SERVER%s"`, name)
			}
			b.WriteString("\r\n")
		}
		fmt.Fprintf(&b, `"%s"`, at(second).Format("01/02/2006 15:04:05.000"))
		for _, name := range order {
			fmt.Fprintf(&b, `,"%.6g"`, v[name])
		}
		b.WriteString("\r\n")
	}
	name := filepath.Join(t.TempDir(), "hour.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestChangedPlanted: in a log of an hour the culprit of a fault is among the first five, without and with
// the range.
func TestChangedPlanted(t *testing.T) {
	if testing.Short() {
		t.Skip("writes and reads logs of an hour")
	}
	const disk, busy, leak = `\PhysicalDisk(1 C:)\`, `\Process(service07)\% Processor Time`, `\Process(service13)\Private Bytes`
	tests := []struct {
		name       string
		begin, end int
		culprits   []string // any of them
		follows    string   // changes together with it
		fault      func(second int, v map[string]float64)
	}{
		{"disk stall", 2400, 2460, []string{disk + "Avg. Disk sec/Read", disk + "Current Disk Queue Length", disk + "% Idle Time"}, "",
			func(second int, v map[string]float64) {
				if second >= 2400 && second < 2460 {
					v[disk+"Avg. Disk sec/Read"] += 0.9
					v[disk+"Current Disk Queue Length"] += 20
					v[disk+"% Idle Time"] = 1
					v[disk+"Disk Reads/sec"] /= 15
					v[`\System\Processor Queue Length`] += 1
				}
			}},
		{"leak", 1800, 3600, []string{leak}, `\Memory\Available Bytes`, func(second int, v map[string]float64) {
			v[leak] += 3e5 * float64(max(0, second-600))
			v[`\Memory\Available Bytes`] -= 3e5 * float64(max(0, second-600))
		}},
		{"busy process", 900, 1200, []string{busy}, `\System\Context Switches/sec`, func(second int, v map[string]float64) {
			if second >= 900 && second < 1200 {
				v[busy] += 95
				v[`\System\Context Switches/sec`] += 1500
			}
		}},
	}

	for _, tt := range tests {
		for seed := range uint64(2) {
			t.Run(fmt.Sprint(tt.name, seed), func(t *testing.T) {
				v := open(t, busyLog(t, seed, tt.fault))
				for _, r := range []view.Request{{}, {Begin: at(tt.begin), End: at(tt.end)}} {
					changed, err := v.Changed(t.Context(), r, "")
					if err != nil {
						t.Fatal(err)
					}
					place := slices.IndexFunc(changed.Changed, func(c view.Change) bool {
						return slices.Contains(tt.culprits, strings.TrimPrefix(c.Path, `\\SERVER`))
					})
					for i, c := range changed.Changed {
						t.Logf("%d %s %v: %g, else %g, %s", i, c.Path, c.Time, c.Inside, c.Outside, c.Difference)
					}
					if place < 0 || place > 4 {
						t.Errorf("the culprit is at place %d of %+v", place, r)
						continue
					}
					when := changed.Changed[place].Time
					if when.Before(at(tt.begin)) || when.After(at(tt.end)) {
						t.Errorf("its time is %v", when)
					}
					if tt.follows != "" && !slices.ContainsFunc(changed.Changed, func(c view.Change) bool { return c.Path == `\\SERVER`+tt.follows }) {
						t.Errorf("%s is absent", tt.follows)
					}
					correlated := 0
					for _, c := range changed.Changed {
						if strings.HasPrefix(c.Path, `\\SERVER`+disk) {
							correlated++
						}
					}
					if correlated > 1 {
						t.Errorf("%d counters of one disk", correlated)
					}
				}
			})
		}
	}
}
