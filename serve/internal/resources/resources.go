// Package resources reads the resources that this program uses, under the names that Prometheus' client
// libraries give them.
package resources

import "github.com/winperf/winperf/internal/usage"

// The names of values; other units are in the names.
const (
	Processor  = "process_cpu_seconds_total"
	MaxFiles   = "process_max_fds"
	Received   = "process_network_receive_bytes_total" // on all interfaces of the network namespace
	Sent       = "process_network_transmit_bytes_total"
	OpenFiles  = "process_open_fds"
	Resident   = "process_resident_memory_bytes"
	Start      = "process_start_time_seconds" // since 1970
	Virtual    = "process_virtual_memory_bytes"
	MaxVirtual = "process_virtual_memory_max_bytes"
)

// Read returns the values that this system has, by name.
func (m *Meter) Read() map[string]float64 {
	values := map[string]float64{}
	if t, ok := usage.Processor(); ok {
		values[Processor] = t.Seconds()
	}
	m.add(values)
	return values
}
