package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/nametable"
)

// costTime limits the time to read all objects.
const costTime = 10 * time.Second

// objectsProbe is the name for --probe that reads objects instead of a provider.
const objectsProbe = "*"

// readCosts reads each object in a separate process, which a DLL may end or block.
func readCosts(ctx context.Context, m *diagnosis.Machine) {
	program, err := os.Executable()
	if err != nil {
		unread(m, "times of objects", err)
		return
	}
	timed, cancel := context.WithTimeout(ctx, costTime)
	defer cancel()
	out, err := exec.CommandContext(timed, program, "doctor", "--probe", objectsProbe).Output()

	_, table, _ := m.Registry.Value(diagnosis.EnglishNames, "Counter") // a finding if it is missing
	names, _ := nametable.Parse(table, nametable.Options{Kind: nametable.Counter, Tolerant: true})
	var last string
	m.Costs, last = parseCosts(string(out), names)
	switch {
	case timed.Err() != nil && ctx.Err() == nil:
		err = fmt.Errorf("reading %s did not end within %v for all objects", last, costTime)
	case err != nil:
		err = fmt.Errorf("the process that read %s ended: %w", last, err)
	}
	unread(m, "times of objects", err)
}

// parseCosts returns the times that a process printed, and the object that it read last.
func parseCosts(out string, names *nametable.Table) (costs []diagnosis.Cost, last string) {
	last = "all objects"
	for line := range strings.Lines(out) {
		var title uint32
		var took time.Duration
		n, _ := fmt.Sscanf(line, "object %d %d", &title, &took)
		if n == 0 {
			continue // printed by a DLL
		}
		text, _ := names.Name(title)
		last = cmp.Or(text, fmt.Sprintf("#%d", title))
		if n == 2 {
			costs = append(costs, diagnosis.Cost{Object: last, Time: took})
		}
	}
	return costs, last
}

// writeCosts prints each object before it is read, and its time after it.
func writeCosts(a *console.App, r registry) error {
	block, err := r.performance("Global")
	if err != nil {
		return err
	}

	rest, _, err := datablock.Objects(block, 0)
	for len(rest) > 0 && err == nil {
		var object datablock.ObjectBytes
		if object, rest, err = datablock.CutObject(rest); err != nil {
			break
		}

		title := object.Title()
		fmt.Fprintf(a.Stdout, "\nobject %d\n", title)
		took, err := r.cost(strconv.FormatUint(uint64(title), 10))
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "\nobject %d %d\n", title, took)
	}
	return err
}

// cost returns the median time of 3 queries. The first one can load DLLs; if it is not slow, it counts.
func (r registry) cost(query string) (time.Duration, error) {
	var times []time.Duration
	for len(times) < 3 {
		begin := time.Now()
		if _, err := r.performance(query); err != nil {
			return 0, err
		}
		times = append(times, time.Since(begin))
		if times[0] <= diagnosis.SlowObject {
			break
		}
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// performance queries HKEY_PERFORMANCE_DATA.
func (r registry) performance(query string) ([]byte, error) {
	_, data, err := r.read(winapi.HKEY_PERFORMANCE_DATA, query, 1<<20, 64<<20)
	return data, err
}

// keyOf returns the Performance key of a provider.
func keyOf(provider string) string { return regfile.Services + `\` + provider + `\Performance` }
