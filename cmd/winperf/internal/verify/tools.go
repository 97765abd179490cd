package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// tool is a program of Linux that shows the raw values of counters at one moment.
type tool struct {
	label   string
	command []string
	objects []string
	parse   func(l *Look, text string) error
}

// tools are the programs, from procps, util-linux, coreutils, iproute2 and sysstat.
var tools = []tool{
	{"vmstat -s", []string{"vmstat", "-s"}, []string{"Memory", "System"}, parseTotals},
	{"vmstat -d", []string{"vmstat", "-d"}, []string{"PhysicalDisk"}, parseDisks},
	{"iostat", []string{"iostat", "-d", "-k"}, []string{"PhysicalDisk"}, diskTotals.parse},
	{"free", []string{"free", "-b"}, []string{"Memory"}, parseFree},
	{"df", []string{"df", "--block-size=1", "--output=avail,target"}, []string{"LogicalDisk"}, parseSpace},
	{"ss", []string{"ss", "-s"}, []string{"TCPv4"}, parseSockets},
	{"ip", []string{"ip", "-s", "-s", "-j", "link"}, []string{"Network Interface"}, parseLinks},
	{
		"nstat", []string{"nstat", "-a", "-s", "-z"},
		[]string{"TCPv4", "IPv4", "UDPv4", "UDPv6", "IPv6"}, parseStats,
	},
	{
		"ps", []string{"ps", "-e", "--sort=pid", "-o", "rss,vsz,nlwp,maj_flt,comm"},
		[]string{"Process"}, processTable.parse,
	},
}

// reader returns the program as a reader, or the reason why it cannot be used.
func (t tool) reader() (reader, error) {
	path, err := exec.LookPath(t.command[0])
	if err != nil {
		return reader{}, errors.New(t.command[0] + " is not installed")
	}
	return reader{
		name:    t.label,
		objects: func(context.Context) ([]string, error) { return t.objects, nil },
		look: func(ctx context.Context, object string) (*Look, error) {
			text, err := output(ctx, path, t.command[1:]...)
			if err != nil {
				return nil, err
			}
			return t.lookOf(object, text)
		},
	}, nil
}

func (t tool) lookOf(object, text string) (*Look, error) {
	l := &Look{Reader: t.label, Object: object, Time: time.Now(), Counters: map[Name]*Counter{}, text: text}
	if err := t.parse(l, text); err != nil {
		return nil, fmt.Errorf("%s: %w", t.label, err)
	}
	return l, nil
}

// output runs a program in the language of programs. An error has the text that the program wrote to stderr.
func output(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lookLimit, fmt.Errorf("no answer in %v", lookLimit))
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "NSTAT_HISTORY=/dev/null")
	cmd.WaitDelay = time.Second
	text, err := cmd.Output()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && len(failed.Stderr) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(failed.Stderr)))
	}
	return string(text), err
}

// figure is a counter that a program shows: raw value = number × factor, ± tolerance.
type figure struct {
	object, counter string
	factor          float64
	tolerance       float64
}

func (f figure) add(l *Look, instance string, n uint64) {
	raw := n
	if f.factor != 1 {
		raw = uint64(math.Floor(float64(n) * f.factor))
	}
	l.add(f.object, instance, f.counter, raw, f.tolerance)
}

// page is the number of KiB in a page of memory.
var page = float64(os.Getpagesize()) / 1024

var totals = map[string]figure{
	"interrupts":           {"System", "Total Interrupts/sec", 1, 0},
	"CPU context switches": {"System", "Context Switches/sec", 1, 0},
	"forks":                {"System", "Processes Created/sec", 1, 0},
	"K paged in":           {"Memory", "Pages Input/sec", 1 / page, 1},
	"pages swapped in":     {"Memory", "Swap Pages Input/sec", 1, 0},
	"pages swapped out":    {"Memory", "Swap Pages Output/sec", 1, 0},
	"K free memory":        {"Memory", "Free & Zero Page List Bytes", 1024, 0},
}

// parseTotals reads lines of a number and its name.
func parseTotals(l *Look, text string) error {
	for line := range strings.Lines(text) {
		number, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseUint(number, 10, 64)
		if f, known := totals[strings.TrimSpace(name)]; known && err == nil {
			f.add(l, "", n)
		}
	}
	return needed(l)
}

// needed returns an error for an output without any known number.
func needed(l *Look) error {
	if len(l.Counters) == 0 {
		return errors.New("unknown form of output")
	}
	return nil
}

// millisecond is in units of 100 ns.
const millisecond = 10_000

// diskColumns are the columns of vmstat -d behind the name.
var diskColumns = []figure{
	{"PhysicalDisk", "Disk Reads/sec", 1, 0}, {}, {"PhysicalDisk", "Disk Read Bytes/sec", 512, 0},
	{"PhysicalDisk", "% Disk Read Time", millisecond, 0},
	{"PhysicalDisk", "Disk Writes/sec", 1, 0}, {}, {"PhysicalDisk", "Disk Write Bytes/sec", 512, 0},
	{"PhysicalDisk", "% Disk Write Time", millisecond, 0},
	{"PhysicalDisk", "Current Disk Queue Length", 1, 0},
}

func parseDisks(l *Look, text string) error {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 1+len(diskColumns) {
			continue
		}
		for k, f := range diskColumns {
			if n, err := strconv.ParseUint(words[1+k], 10, 64); err == nil && f.counter != "" {
				f.add(l, words[0], n)
			}
		}
	}
	return needed(l)
}

var diskTotals = table{"Device", map[string]figure{
	"kB_read": {"PhysicalDisk", "Disk Read Bytes/sec", 1024, 1024},
	"kB_wrtn": {"PhysicalDisk", "Disk Write Bytes/sec", 1024, 1024},
}}

var memoryColumns = map[string]figure{
	"free":      {"Memory", "Free & Zero Page List Bytes", 1, 0},
	"shared":    {"Memory", "Shared Bytes", 1, 0},
	"available": {"Memory", "Available Bytes", 1, 0},
}

func parseFree(l *Look, text string) error {
	head, rest, _ := strings.Cut(text, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	values, found := strings.CutPrefix(line, "Mem:")
	words := strings.Fields(values)
	for i, column := range strings.Fields(head) {
		f, known := memoryColumns[column]
		if !known || !found || i >= len(words) {
			continue
		}
		n, err := strconv.ParseUint(words[i], 10, 64)
		if err != nil {
			return err
		}
		f.add(l, "", n)
	}
	return needed(l)
}

func parseSpace(l *Look, text string) error {
	for line := range strings.Lines(text) {
		number, target, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseUint(number, 10, 64); err == nil {
			figure{"LogicalDisk", "Free Megabytes", 1.0 / (1 << 20), 0}.add(l, strings.TrimSpace(target), n)
		}
	}
	return needed(l)
}

func parseSockets(l *Look, text string) error {
	_, rest, _ := strings.Cut(text, "(estab ")
	number, _, _ := strings.Cut(rest, ",")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return err
	}
	l.add("TCPv4", "", "Connections Established", n, 0)
	return nil
}

func parseLinks(l *Look, text string) error {
	var links []struct {
		Name  string                       `json:"ifname"`
		Stats map[string]map[string]uint64 `json:"stats64"`
	}
	if err := json.Unmarshal([]byte(text), &links); err != nil {
		return err
	}

	for _, link := range links {
		rx, tx := link.Stats["rx"], link.Stats["tx"]
		for counter, n := range map[string]uint64{
			"Bytes Received/sec": rx["bytes"], "Bytes Sent/sec": tx["bytes"],
			"Bytes Total/sec":      rx["bytes"] + tx["bytes"],
			"Packets Received/sec": rx["packets"], "Packets Sent/sec": tx["packets"],
			"Packets/sec":                      rx["packets"] + tx["packets"],
			"Packets Received Non-Unicast/sec": rx["multicast"],
			"Packets Received Errors":          rx["errors"], "Packets Outbound Errors": tx["errors"],
			"Packets Received Discarded": rx["dropped"] + rx["missed"],
			"Packets Outbound Discarded": tx["dropped"],
		} {
			l.add("Network Interface", link.Name, counter, n, 0)
		}
	}
	return needed(l)
}

// statistics are the names of nstat, from /proc/net/snmp and snmp6.
var statistics = map[string]Name{
	"TcpActiveOpens": {"TCPv4", "Connections Active"}, "TcpPassiveOpens": {"TCPv4", "Connections Passive"},
	"TcpAttemptFails": {"TCPv4", "Connection Failures"}, "TcpEstabResets": {"TCPv4", "Connections Reset"},
	"TcpInSegs": {"TCPv4", "Segments Received/sec"}, "TcpOutSegs": {"TCPv4", "Segments Sent/sec"},
	"TcpRetransSegs": {"TCPv4", "Segments Retransmitted/sec"},
	"IpInReceives":   {"IPv4", "Datagrams Received/sec"}, "IpOutRequests": {"IPv4", "Datagrams Sent/sec"},
	"IpInDelivers":    {"IPv4", "Datagrams Received Delivered/sec"},
	"IpForwDatagrams": {"IPv4", "Datagrams Forwarded/sec"}, "IpReasmReqds": {"IPv4", "Fragments Received/sec"},
	"UdpInDatagrams": {"UDPv4", "Datagrams Received/sec"}, "UdpOutDatagrams": {"UDPv4", "Datagrams Sent/sec"},
	"UdpNoPorts":      {"UDPv4", "Datagrams No Port/sec"},
	"Udp6InDatagrams": {"UDPv6", "Datagrams Received/sec"}, "Udp6OutDatagrams": {"UDPv6", "Datagrams Sent/sec"},
	"Ip6InReceives": {"IPv6", "Datagrams Received/sec"}, "Ip6OutRequests": {"IPv6", "Datagrams Sent/sec"},
}

func parseStats(l *Look, text string) error {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		n, err := strconv.ParseUint(words[1], 10, 64)
		if name, known := statistics[words[0]]; known && err == nil {
			l.add(name.Object, "", name.Counter, n, 0)
		}
	}
	return needed(l)
}

// Processes of the same name are numbered in the order of their ids, as the counters do.
var processTable = table{"COMMAND", map[string]figure{
	"RSS": {"Process", "Working Set", 1024, 0}, "VSZ": {"Process", "Virtual Bytes", 1024, 0},
	"NLWP": {"Process", "Thread Count", 1, 0}, "MAJFL": {"Process", "Major Faults/sec", 1, 0},
}}
