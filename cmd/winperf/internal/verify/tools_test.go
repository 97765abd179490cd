package verify

import (
	"os/exec"
	"testing"
)

// TestTools reads outputs of each program in the form of its manual page.
func TestTools(t *testing.T) {
	tests := []struct {
		tool, text string
		want       map[string]uint64 // raw values by path
	}{
		{
			"vmstat -s", "     24684092 K total memory\n     21650256 K free memory\n       23078 non-nice user cpu ticks\n" +
				"      1135049 K paged in\n            7 pages swapped in\n      2237069 interrupts\n" +
				"      5832777 CPU context switches\n        24811 forks\n",
			map[string]uint64{
				`\Memory\Free & Zero Page List Bytes`: 21650256 * 1024, `\Memory\Swap Pages Input/sec`: 7,
				`\Memory\Pages Input/sec`: uint64(1135049 / page), `\System\Total Interrupts/sec`: 2237069,
				`\System\Context Switches/sec`: 5832777, `\System\Processes Created/sec`: 24811,
			},
		},
		{
			"vmstat -d", "disk- ------------reads------------ ------------writes----------- -----IO------\n" +
				"       total merged sectors      ms  total merged sectors      ms    cur    sec\n" +
				"vda    63597   9854 4019834   33416  49577  88490 12782232   53629      3     14\n",
			map[string]uint64{
				`\PhysicalDisk(vda)\Disk Reads/sec`: 63597, `\PhysicalDisk(vda)\Disk Read Bytes/sec`: 4019834 * 512,
				`\PhysicalDisk(vda)\% Disk Read Time`: 33416e4, `\PhysicalDisk(vda)\Disk Writes/sec`: 49577,
				`\PhysicalDisk(vda)\Disk Write Bytes/sec`: 12782232 * 512, `\PhysicalDisk(vda)\% Disk Write Time`: 53629e4,
				`\PhysicalDisk(vda)\Current Disk Queue Length`: 3,
			},
		},
		{
			"iostat", "Linux 6.18 (host) 11/28/26 _x86_64_ (2 CPU)\n\n" +
				"Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd\n" +
				"sda               1.50         9.50         8.50         0.00         17         23          0\n",
			map[string]uint64{
				`\PhysicalDisk(sda)\Disk Read Bytes/sec`: 17 << 10, `\PhysicalDisk(sda)\Disk Write Bytes/sec`: 23 << 10,
			},
		},
		{
			"free", "               total        used        free      shared  buff/cache   available\n" +
				"Mem:     25276510208  1025318912 22169862144     9068544  2401968128 24251191296\nSwap: 0 0 0\n",
			map[string]uint64{
				`\Memory\Free & Zero Page List Bytes`: 22169862144, `\Memory\Shared Bytes`: 9068544,
				`\Memory\Available Bytes`: 24251191296,
			},
		},
		{
			"df", "      Avail Mounted on\n81817804800 /\n  999999999 /mnt/a b\n",
			map[string]uint64{`\LogicalDisk(/)\Free Megabytes`: 78027, `\LogicalDisk(/mnt/a b)\Free Megabytes`: 953},
		},
		{
			"ss", "Total: 16\nTCP:   3 (estab 12, closed 1, orphaned 0, timewait 1)\n",
			map[string]uint64{`\TCPv4\Connections Established`: 12},
		},
		{
			"ip", `[{"ifname":"eth0","stats64":{"rx":{"bytes":5,"packets":2,"errors":1,"dropped":3,"missed":4,"multicast":6},
				"tx":{"bytes":7,"packets":8,"errors":9,"dropped":10}}}]`,
			map[string]uint64{
				`\Network Interface(eth0)\Bytes Received/sec`: 5, `\Network Interface(eth0)\Bytes Sent/sec`: 7,
				`\Network Interface(eth0)\Bytes Total/sec`: 12, `\Network Interface(eth0)\Packets Received/sec`: 2,
				`\Network Interface(eth0)\Packets Sent/sec`: 8, `\Network Interface(eth0)\Packets/sec`: 10,
				`\Network Interface(eth0)\Packets Received Errors`: 1, `\Network Interface(eth0)\Packets Outbound Errors`: 9,
				`\Network Interface(eth0)\Packets Received Discarded`:       7,
				`\Network Interface(eth0)\Packets Outbound Discarded`:       10,
				`\Network Interface(eth0)\Packets Received Non-Unicast/sec`: 6,
			},
		},
		{
			"nstat", "#kernel\nIpInReceives                    105                0.0\nTcpActiveOpens 3 0.0\nUdp6NoPorts 8 0.0\n",
			map[string]uint64{`\IPv4\Datagrams Received/sec`: 105, `\TCPv4\Connections Active`: 3},
		},
		{
			"ps", "  RSS    VSZ NLWP  MAJFL COMMAND\n16976  48460   13      5 systemd\n    0      0    1      0 kworker/0:1-ev\n 100  200    2      1 Web Content\n" +
				" 101  201    3      2 Web Content\n",
			map[string]uint64{
				`\Process(systemd)\Working Set`: 16976 << 10, `\Process(systemd)\Virtual Bytes`: 48460 << 10,
				`\Process(systemd)\Thread Count`: 13, `\Process(systemd)\Major Faults/sec`: 5,
				`\Process(kworker/0:1-ev)\Working Set`: 0, `\Process(kworker/0:1-ev)\Virtual Bytes`: 0,
				`\Process(kworker/0:1-ev)\Thread Count`: 1, `\Process(kworker/0:1-ev)\Major Faults/sec`: 0,
				`\Process(Web Content)\Working Set`: 100 << 10, `\Process(Web Content)\Virtual Bytes`: 200 << 10,
				`\Process(Web Content)\Thread Count`: 2, `\Process(Web Content)\Major Faults/sec`: 1,
				`\Process(Web Content#1)\Working Set`: 101 << 10, `\Process(Web Content#1)\Virtual Bytes`: 201 << 10,
				`\Process(Web Content#1)\Thread Count`: 3, `\Process(Web Content#1)\Major Faults/sec`: 2,
			},
		},
	}

	tested := map[string]bool{}
	for _, tt := range tests {
		tested[tt.tool] = true
		t.Run(tt.tool, func(t *testing.T) {
			l, err := toolNamed(tt.tool).lookOf("", tt.text)
			if err != nil {
				t.Fatal(err)
			}
			got := rawByPath(l)
			for path, want := range tt.want {
				if v, found := got[path]; !found || v != want {
					t.Errorf("%s = %d, %v; want %d", path, v, found, want)
				}
			}
			if len(got) != len(tt.want) {
				t.Errorf("%d values, want %d: %v", len(got), len(tt.want), got)
			}
			if _, err := toolNamed(tt.tool).lookOf("", "nothing known"); err == nil {
				t.Error("an unknown output is no error")
			}
		})
	}
	for _, tool := range tools {
		if !tested[tool.label] {
			t.Errorf("%s is not tested", tool.label)
		}
	}
}

func toolNamed(label string) *tool {
	for i := range tools {
		if tools[i].label == label {
			return &tools[i]
		}
	}
	return nil
}

func rawByPath(l *Look) map[string]uint64 {
	all := map[string]uint64{}
	for name, c := range l.Counters {
		for i, in := range c.Names {
			if in != "" {
				in = "(" + in + ")"
			}
			all[`\`+name.Object+in+`\`+name.Counter] = c.Samples[i].Value
		}
	}
	return all
}

// TestOutputFails: the error of a program has its own words.
func TestOutputFails(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	_, err = output(t.Context(), sh, "-c", "echo access denied >&2; exit 3")
	if err == nil || err.Error() != "exit status 3: access denied" {
		t.Error(err)
	}
}
