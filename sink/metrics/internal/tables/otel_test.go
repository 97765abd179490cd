package tables

import (
	"slices"
	"strings"
	"testing"
)

// conventions are metrics of OpenTelemetry's semantic conventions 1.43: the instrument (C counter, I up-down
// counter, G gauge), the unit, and the attributes, of which an enumeration has its values in parentheses.
const conventions = `
system.cpu.time|C|s|cpu.mode(user,system,nice,idle,iowait,interrupt,steal) cpu.logical_number
system.cpu.frequency|G|Hz|cpu.logical_number
system.cpu.logical.count|I|{cpu}|
system.memory.usage|I|By|system.memory.state(used,free,buffers,cached)
system.memory.limit|I|By|
system.memory.linux.available|I|By|
system.memory.linux.shared|I|By|
system.memory.linux.slab.usage|I|By|system.memory.linux.slab.state(reclaimable,unreclaimable)
system.paging.usage|I|By|system.device system.paging.state(used,free)
system.paging.utilization|G|1|system.device system.paging.state(used,free)
system.paging.faults|C|{fault}|system.paging.fault.type(major,minor)
system.paging.operations|C|{operation}|system.paging.direction(in,out) system.paging.fault.type(major,minor)
system.disk.io|C|By|disk.io.direction(read,write) system.device
system.disk.operations|C|{operation}|disk.io.direction(read,write) system.device
system.disk.io_time|C|s|system.device
system.disk.operation_time|C|s|disk.io.direction(read,write) system.device
system.disk.merged|C|{operation}|disk.io.direction(read,write) system.device
system.filesystem.usage|I|By|system.device system.filesystem.mountpoint system.filesystem.state(used,free,reserved)
system.filesystem.utilization|G|1|system.device system.filesystem.mountpoint system.filesystem.state(used,free,reserved)
system.filesystem.limit|I|By|system.device system.filesystem.mountpoint
system.network.packet.dropped|C|{packet}|network.interface.name network.io.direction(receive,transmit)
system.network.packet.count|C|{packet}|system.device network.io.direction(receive,transmit)
system.network.errors|C|{error}|network.interface.name network.io.direction(receive,transmit)
system.network.io|C|By|network.interface.name network.io.direction(receive,transmit)
system.network.connection.count|I|{connection}|network.transport(tcp,udp) network.connection.state(established) network.type(ipv4,ipv6)
system.process.count|I|{process}|process.state
system.process.created|C|{process}|
system.uptime|G|s|
process.cpu.time|C|s|cpu.mode(user,system)
process.memory.usage|I|By|
process.memory.virtual|I|By|
process.disk.io|C|By|disk.io.direction(read,write)
process.disk.operations|C|{operation}|disk.io.direction(read,write)
process.thread.count|I|{thread}|
process.open_file_descriptors|I|{count}|
process.handles|I|{count}|
system.linux.memory.available|I|By|
system.linux.memory.dirty|I|By|
system.filesystem.inodes.usage|I|{inode}|system.device system.filesystem.mountpoint system.filesystem.state(used,free,reserved)
system.disk.pending_operations|I|{operation}|system.device
system.cpu.load_average.1m|G|{thread}|
system.cpu.load_average.5m|G|{thread}|
system.cpu.load_average.15m|G|{thread}|
process.paging.faults|C|{fault}|system.paging.fault.type(major,minor)
process.uptime|G|s|
`

// convention is what the conventions say of one metric.
type convention struct {
	instrument, unit string
	attributes       map[string][]string // their values, of an enumeration
}

func parseConventions() map[string]convention {
	all := map[string]convention{}
	for line := range strings.Lines(strings.TrimSpace(conventions)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		c := convention{f[1], f[2], map[string][]string{}}
		for _, a := range strings.Fields(f[3]) {
			name, values, _ := strings.Cut(strings.TrimSuffix(a, ")"), "(")
			c.attributes[name] = nil
			if values != "" {
				c.attributes[name] = strings.Split(values, ",")
			}
		}
		all[f[0]] = c
	}
	return all
}

// TestConventions: each metric with a name of OpenTelemetry has the instrument, the unit, attributes and
// values that the conventions give it. Those of processes have the process besides: in the conventions it
// is the resource.
func TestConventions(t *testing.T) {
	table, err := OTel()
	if err != nil {
		t.Fatal(err)
	}

	known := parseConventions()
	for _, b := range table.Blocks {
		for _, r := range b.Rows {
			c, ok := known[r.Metric]
			if !ok || c.instrument != string(r.Type) || c.unit != r.Unit {
				t.Errorf("%s is %c in %s, want %s in %s", r.Metric, r.Type, r.Unit, c.instrument, c.unit)
			}
			for _, name := range labelNames(b, r) {
				_, has := c.attributes[name]
				ofProcess := strings.HasPrefix(r.Metric, "process.") && strings.HasPrefix(name, "process.")
				if !has && !ofProcess {
					t.Errorf("%s has no attribute %s", r.Metric, name)
				}
			}
			for _, l := range r.Labels {
				if !slices.Contains(c.attributes[l.Name], l.Value) {
					t.Errorf("%s: %s has no value %s", r.Metric, l.Name, l.Value)
				}
			}
		}
	}
}
