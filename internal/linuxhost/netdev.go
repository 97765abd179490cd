package linuxhost

import (
	"context"
	"errors"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the Network Interface object.
const (
	netBytesIn fields = 1 << iota
	netPacketsIn
	netErrorsIn
	netDropsIn
	netMulticast
	netBytesOut
	netPacketsOut
	netErrorsOut
	netDropsOut
	netBandwidth // bits per second
)

var interfaceSpec = spec{
	number: 12, index: 510, name: "Network Interface", multi: true,
	help: "Network interfaces of the network namespace of the reader. From /proc/net/dev and " +
		"/sys/class/net. There is no _Total: bridges, bonds, VLANs and virtual interfaces count a packet " +
		"again, and lo counts it twice.",
	rows: []row{
		{388, "Bytes Total/sec", counter.BulkCount, -4, provider.Advanced, netBytesIn | netBytesOut, nil,
			"Bytes received and sent. From /proc/net/dev, bytes of Receive and Transmit."},
		{400, "Packets/sec", counter.BulkCount, -1, provider.Advanced, netPacketsIn | netPacketsOut, nil,
			"Packets received and sent. From /proc/net/dev, packets of Receive and Transmit."},
		{266, "Packets Received/sec", counter.BulkCount, -1, provider.Advanced, netPacketsIn, nil,
			"Packets received. From /proc/net/dev, packets of Receive."},
		{452, "Packets Sent/sec", counter.BulkCount, -1, provider.Advanced, netPacketsOut, nil,
			"Packets sent. From /proc/net/dev, packets of Transmit."},
		{520, "Current Bandwidth", counter.LargeRawCount, -6, provider.Advanced, netBandwidth, nil,
			"Speed of the link in bits per second. From /sys/class/net, speed, read again when " +
				"carrier_changes has changed. No value for a link that is down and for interfaces that " +
				"have no speed, as most virtual ones."},
		{264, "Bytes Received/sec", counter.BulkCount, -4, provider.Advanced, netBytesIn, nil,
			"Bytes received. From /proc/net/dev, bytes of Receive."},
		{526, "Packets Received Non-Unicast/sec", counter.BulkCount, -1, provider.Expert, netMulticast, nil,
			"Multicast packets received. From /proc/net/dev, multicast of Receive. Unlike on Windows " +
				"broadcasts are not among them, but for a few drivers."},
		{528, "Packets Received Discarded", counter.LargeRawCount, 0, provider.Advanced, netDropsIn, nil,
			"Packets received and thrown away, since the interface was made. From /proc/net/dev, drop of " +
				"Receive, those missed for want of room among them."},
		{530, "Packets Received Errors", counter.LargeRawCount, 0, provider.Advanced, netErrorsIn, nil,
			"Packets received with an error, since the interface was made. From /proc/net/dev, errs " +
				"of Receive."},
		{506, "Bytes Sent/sec", counter.BulkCount, -4, provider.Advanced, netBytesOut, nil,
			"Bytes sent. From /proc/net/dev, bytes of Transmit."},
		{540, "Packets Outbound Discarded", counter.LargeRawCount, 0, provider.Advanced, netDropsOut, nil,
			"Packets to be sent and thrown away, since the interface was made. From /proc/net/dev, drop " +
				"of Transmit."},
		{542, "Packets Outbound Errors", counter.LargeRawCount, 0, provider.Advanced, netErrorsOut, nil,
			"Packets that could not be sent for an error, since the interface was made. From " +
				"/proc/net/dev, errs of Transmit."},
	},
}

// interfaceSource reads the Network Interface object.
type interfaceSource struct {
	dev     file
	reads   uint64 // readings so far
	columns netColumns
	links   []*link          // of the last reading
	known   map[string]*link // by the kernel's name
}

func newInterfaceSource() source {
	return &interfaceSource{dev: file{name: "proc/net/dev", records: true}, known: map[string]*link{}}
}

// probe tells which figures the file has columns of. A speed may come with a
// cable or with another interface, so one interface with the file is enough.
func (r *interfaceSource) probe(s *session) (given fields) {
	if err := r.read(s); err != nil {
		return 0
	}
	given = r.columns.given()
	for _, l := range r.links {
		if there, _ := s.exists(l.directory() + "speed"); there {
			return given | netBandwidth
		}
	}
	return given
}

func (r *interfaceSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	if err := r.read(s); err != nil {
		return nil // without the file there are no instances: the object is not there
	}
	out := w.Object(o.layout)
	for i, l := range r.links {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		l.settle(s, o.wanted)
		out.Instance(provider.Instance{Name: l.name, UniqueID: uniqueID(l.index), HasUniqueID: l.index != 0})
		o.write(&out, &l.values)
	}
	out.End()
	return nil
}

func (r *interfaceSource) close(s *session) error {
	errs := []error{s.reader.close(&r.dev.h)}
	for _, l := range r.known {
		errs = append(errs, l.close(s))
	}
	return errors.Join(errs...)
}

// read reads the file. Where a count fell, names may have changed hands: what
// was kept open of all interfaces is opened anew.
func (r *interfaceSource) read(s *session) error {
	text, err := s.reader.read(&r.dev)
	if err != nil {
		return err
	}

	r.reads++
	r.links = r.links[:0]
	text = r.columns.parse(text)
	fell := false
	for {
		line, rest, ok := cutLine(text)
		if !ok {
			break
		}
		fell = r.readLine(line) || fell
		text = rest
	}

	for name, l := range r.known {
		if len(r.known) == len(r.links) {
			break
		}
		if l.seen != r.reads {
			_ = l.close(s) // an error to close what was only read has no meaning
			delete(r.known, name)
		}
	}

	if fell {
		for _, l := range r.links {
			_ = l.close(s)
		}
	}
	return nil
}

// readLine reads "name: count count ...".
func (r *interfaceSource) readLine(line []byte) (fell bool) {
	name, counts, ok := cutInterface(line)
	if !ok {
		return false
	}

	l := r.known[string(name)]
	switch {
	case l == nil:
		l = newLink(name)
		r.known[l.kernelName] = l
	case l.seen == r.reads:
		return false // a second line of one name
	}

	l.seen = r.reads
	r.links = append(r.links, l)
	return l.readCounts(counts, &r.columns)
}
