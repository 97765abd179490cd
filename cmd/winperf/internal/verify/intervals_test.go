package verify

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
)

// TestMeters reads outputs in the form of the manual pages: the last table, without averages.
func TestMeters(t *testing.T) {
	tests := []struct {
		label, text string
		want        map[string]float64
	}{
		{
			"vmstat 2", "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n" +
				" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n" +
				" 6  0      0 16915196 100916 7170496    0    0  1260  2501 1575 4527 46 11 42  0  0\n" +
				" 6  0      0 16915196 100916 7170496    0    0 36768     0 6461 17230 71 28  0  0  0\n",
			map[string]float64{`\System\Total Interrupts/sec`: 6461, `\System\Context Switches/sec`: 17230},
		},
		{
			"iostat 2", "Linux 6.18 (host) 11/28/26 _x86_64_ (2 CPU)\n\n" +
				"Device            r/s     rkB/s   rrqm/s  r_await     w/s     wkB/s\nvda             9.00    9.00     9.00   9.45    9.00   9.00\n\n" +
				"Device            r/s     rkB/s   rrqm/s  r_await     w/s     wkB/s\nvda             28.50    692.25     1.00   3.45    0.18    24.50\n\n",
			map[string]float64{
				`\PhysicalDisk(vda)\Disk Reads/sec`: 28.5, `\PhysicalDisk(vda)\Disk Read Bytes/sec`: 692.25 * 1024,
				`\PhysicalDisk(vda)\Disk Writes/sec`: 0.18, `\PhysicalDisk(vda)\Disk Write Bytes/sec`: 24.5 * 1024,
			},
		},
		{
			"mpstat 2", "09:01:12     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n" +
				"09:01:13     all    0.00   87.50   12.50    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n" +
				"09:01:13       1    1.00   83.00   17.00    0.00    0.25    0.50    2.00    4.00    8.00    0.00\n\n" +
				"Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n" +
				"Average:       1    9.00   83.00   17.00    0.00    0.25    0.50    2.00    4.00    8.00    0.00\n",
			map[string]float64{
				`\Processor(1)\% User Time`: 96, `\Processor(1)\% Privileged Time`: 17.75, `\Processor(1)\% Steal Time`: 2,
			},
		},
		{
			"pidstat 2", "# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n" +
				"09:01:14        0         1    0.50    0.25    0.00    0.00    0.00     1      7.00      2.00   53104   21432   0.09  Web Content\n" +
				"09:01:14        0         2    1.50    1.25    0.00    0.00    0.00     1      8.00      3.00   53104   21432   0.09  Web Content\n",
			map[string]float64{
				`\Process(Web Content)\% User Time`: 0.5, `\Process(Web Content)\% Privileged Time`: 0.25,
				`\Process(Web Content)\Page Faults/sec`: 9, `\Process(Web Content#1)\% User Time`: 1.5,
				`\Process(Web Content#1)\% Privileged Time`: 1.25, `\Process(Web Content#1)\Page Faults/sec`: 11,
			},
		},
		{
			"sar 2", "09:01:10        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s\n" +
				"09:01:11         eth0      1.00      2.00      3.00      4.00      0.00\n",
			map[string]float64{
				`\Network Interface(eth0)\Packets Received/sec`: 1, `\Network Interface(eth0)\Packets Sent/sec`: 2,
				`\Network Interface(eth0)\Bytes Received/sec`: 3 * 1024, `\Network Interface(eth0)\Bytes Sent/sec`: 4 * 1024,
			},
		},
	}
	for i, tt := range tests {
		t.Run(tt.label, func(t *testing.T) {
			l, err := meters[i].parse(tt.text)
			if err != nil || l.Reader != tt.label {
				t.Fatalf("%+v, %v", l, err)
			}
			got := map[string]float64{}
			for name, c := range l.Counters {
				for k, in := range c.Names {
					if in != "" {
						in = "(" + in + ")"
					}
					got[`\`+name.Object+in+`\`+name.Counter] = c.Values[k]
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if _, err := meters[i].parse("nothing known"); err == nil {
				t.Error("an unknown output is no error")
			}
		})
	}
	if len(tests) != len(meters) {
		t.Errorf("%d of %d programs are tested", len(tests), len(meters))
	}
}

// TestIntervals: a program that shows rates over an interval of its own differs if it is outside in all passes. Values
// of its earlier intervals, and of the totals behind them, are not compared.
func TestIntervals(t *testing.T) {
	for _, tt := range []struct {
		name    string
		shown   []float64
		outside int
		differs bool
	}{
		{"right", []float64{100, 100, 100}, 0, false},
		{"once", []float64{100, 300, 100}, 1, false},
		{"always", []float64{300, 10, 300}, 3, true},
	} {
		var c Comparison
		for pass, v := range tt.shown {
			at := int64(100 * pass)
			base := func(at int64) *Look { return look("A", counter.BulkCount, at, uint64(100*at)) }
			end := shown("B", v)
			looks := []*Look{base(at), end.begin(), base(at + 2), base(at + 10), end, base(at + 12)}
			for _, l := range looks {
				l.Pass = pass
			}
			c.addAll(looks)
		}
		r := c.Results()
		if len(r) != 1 || r[0].Kind != Interval || r[0].Compared != 3 || r[0].Outside != tt.outside || r[0].Differs != tt.differs {
			t.Errorf("%s: %+v", tt.name, slices.Collect(maps.Values(c.results)))
		}
	}
}
