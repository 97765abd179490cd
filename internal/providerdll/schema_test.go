package providerdll

import (
	"testing"

	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// What lodctr is taken to have noted: First Counter and so on. The C harness has
// the same numbers.
const (
	firstCounter = 8000
	lastCounter  = 8014
	firstHelp    = 8001
	lastHelp     = 8015
)

// Title indices of the schema's objects and counters.
const (
	transferObject = firstCounter + 2*iota
	bytesSent
	availableBandwidth
	peerObject
	bytesServed
	partObject
	partBytes
)

// text is the worked example of Microsoft's documentation, objects Transfer and
// Peer, and a third object whose instances have parents.
const text = `{
	"driver": "WinperfLibrary",
	"objects": [
		{"symbol": "TRANSFER_OBJECT", "name": "Transfer", "help": "h", "counters": [
			{"symbol": "BYTES_SENT", "name": "Bytes Sent", "type": "PERF_COUNTER_RAWCOUNT", "detail": 200},
			{"symbol": "AVAILABLE_BANDWIDTH", "name": "Available Bandwidth", "type": "PERF_RAW_FRACTION", "detail": 200}]},
		{"symbol": "PEER_OBJECT", "name": "Peer", "multi": true, "counters": [
			{"symbol": "BYTES_SERVED", "name": "Bytes Served", "type": "PERF_COUNTER_RAWCOUNT", "detail": 200}]},
		{"symbol": "PART_OBJECT", "name": "Part", "multi": true, "counters": [
			{"symbol": "PART_BYTES", "name": "Bytes", "type": "PERF_COUNTER_BULK_COUNT", "detail": 200}]}
	]
}`

func schema(t testing.TB, change ...func(*registration.Declaration)) *registration.Declaration {
	t.Helper()
	s, err := registration.ParseDeclaration("schema", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(s)
	}
	return s
}

// publisher publishes a schema in a directory, until the test ends.
func publisher(t testing.TB, dir string, s *registration.Declaration) *publish.Publisher {
	t.Helper()
	p, err := publish.New(s, publish.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// instance adds an instance and sets its only counter.
func instance(t testing.TB, p *publish.Publisher, object, name, counter string, value uint64,
	parent *publish.Instance) *publish.Instance {
	t.Helper()
	o, err := p.Object(object)
	if err != nil {
		t.Fatal(err)
	}
	in, err := o.Instance(name, publish.InstanceOptions{Parent: parent})
	if err != nil {
		t.Fatal(err)
	}
	c, err := in.Counter(counter)
	if err != nil {
		t.Fatal(err)
	}
	c.Set(value)
	return in
}

func peer(t testing.TB, p *publish.Publisher, name string, value uint64) *publish.Instance {
	t.Helper()
	return instance(t, p, "Peer", name, "Bytes Served", value, nil)
}

// example fills the objects with the values of the worked example.
func example(t testing.TB, p *publish.Publisher) {
	t.Helper()
	o, err := p.Object("Transfer")
	if err != nil {
		t.Fatal(err)
	}
	in, err := o.Single()
	if err != nil {
		t.Fatal(err)
	}
	sent, err := in.Counter("Bytes Sent")
	if err != nil {
		t.Fatal(err)
	}
	free, err := in.Counter("Available Bandwidth")
	if err != nil {
		t.Fatal(err)
	}
	total, err := in.Base("Available Bandwidth")
	if err != nil {
		t.Fatal(err)
	}
	sent.Set(5)
	free.Set(20)
	total.Set(50)
	peer(t, p, "Peer 1", 15)
	peer(t, p, "Peer 2", 30)
}
