package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/source"
)

func readMachine(ctx context.Context) (*diagnosis.Machine, error) {
	m := &diagnosis.Machine{Root: os.DirFS("/"), Published: publish.Check(), Examined: []string{published}}
	src, err := source.Open(ctx, "local:")
	if err != nil {
		unread(m, "objects and clocks", err)
		return m, nil
	}
	defer src.Close()

	readClocks(ctx, m, src)
	for _, object := range objects {
		cost, err := costOf(ctx, src, object)
		unread(m, "object "+object, err)
		if err == nil {
			m.Costs = append(m.Costs, cost)
		}
	}
	return m, nil
}

// objects are the objects of a Linux host that are not costly. The schema of the source would also
// contain published objects; reading these can remove files of publishers that have ended.
var objects = []string{
	"System", "Processor", "Processor Information", "Memory", "Paging File", "Objects", "Process", "Thread",
	"PhysicalDisk", "LogicalDisk", "Network Interface", "IPv4", "IPv6", "TCPv4", "UDPv4", "UDPv6",
	"ICMP", "ICMPv6", "Pressure Stall", "Control Group",
}

// costOf returns the median time of 3 samples of an object.
func costOf(ctx context.Context, src winperf.Source, object string) (c diagnosis.Cost, err error) {
	path, err := winperf.ParsePath(fmt.Sprintf(`\%s(*)\*`, object))
	if err != nil {
		return c, err
	}
	sel := winperf.Selection{Paths: []winperf.Path{path}}
	m := measure.New(src, sel, measure.Options{FramesOnly: true})
	defer m.Close()

	var costs []diagnosis.Cost
	for range 3 {
		cycle, err := m.Cycle(ctx)
		if err != nil {
			return c, err
		}
		costs = append(costs, diagnosis.Cost{Object: object, Time: cycle.Cost.Sample})
	}
	sorted.Func(costs, func(a, b diagnosis.Cost) int { return cmp.Compare(a.Time, b.Time) })
	return costs[1], nil
}

func writeProbe(*console.App, string) error { return errNoProbe }
