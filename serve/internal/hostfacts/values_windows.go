package hostfacts

import (
	"context"
	"sync"
	"time"

	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/sink/metrics"
)

// patience is how long a scrape waits for the calls of a part.
const patience = time.Second

// machine are the calls that read a Windows machine.
type machine struct {
	network  *winapi.Network
	registry *winapi.Registry
}

// values returns the values of this machine.
func values() func([]metrics.HostValue) []metrics.HostValue {
	m := &machine{
		network:  winapi.NewNetwork(winapi.NewDLL("iphlpapi.dll")),
		registry: winapi.NewRegistry(winapi.NewDLL("advapi32.dll")),
	}
	return m.values()
}

// values returns a function that reads the machine in parts, each of which may fail or take too long.
func (m *machine) values() func([]metrics.HostValue) []metrics.HostValue {
	parts := []*part{newPart(m.interfaces), newPart(m.clock)}
	return func(buf []metrics.HostValue) []metrics.HostValue {
		all := []metrics.HostValue{}
		for _, p := range parts {
			all = append(all, p.values(patience)...)
		}
		return append(buf, distinct(all)...)
	}
}

// part reads values with calls that may never return.
type part struct {
	read func() []metrics.HostValue

	mu   sync.Mutex // for the line
	line *call.Line
}

func newPart(read func() []metrics.HostValue) *part { return &part{read: read, line: call.NewLine()} }

// values returns no values if the calls take longer than a limit, or if those of an earlier scrape have not
// returned.
func (p *part) values(limit time.Duration) []metrics.HostValue {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line.Busy() {
		return nil
	}

	var all []metrics.HostValue
	if err := p.line.Do(context.Background(), limit, func(context.Context) { all = p.read() }); err != nil {
		return nil
	}
	p.line.Rest()
	return all
}

// interfaces returns the network adapters and the TCP connections.
func (m *machine) interfaces() (all []metrics.HostValue) {
	if adapters, err := m.network.Adapters(); err == nil {
		all = adapterValues(all, adapters)
	}
	if counts, err := m.network.Connections(winapi.AF_INET); err == nil {
		all = connectionValues(all, "ipv4", counts)
	}
	if counts, err := m.network.Connections(winapi.AF_INET6); err == nil {
		all = connectionValues(all, "ipv6", counts)
	}
	return all
}

// clock returns the source of the clock.
func (m *machine) clock() []metrics.HostValue {
	key, err := m.registry.OpenKey(winapi.HKEY_LOCAL_MACHINE,
		`SYSTEM\CurrentControlSet\Services\W32Time\Parameters`)
	if err != nil {
		return nil
	}
	defer func() { _ = m.registry.CloseKey(key) }()
	source := registryValue(m.registry, key, "Type")
	return oneOf(nil, "windows_time_clock_sync_source", clockSources, source, "type")
}
