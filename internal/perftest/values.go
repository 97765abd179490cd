package perftest

import "github.com/winperf/winperf/counter"

// definition is one counter of an object and the model of its values.
type definition struct {
	title uint32
	typ   counter.Type
	size  uint32
	model model
}

// moment is the time of one sample.
type moment struct {
	step int   // number of the sample
	time int64 // FILETIME
}

// model computes a raw value from the time, the instance, and a number that is constant per
// instance and counter.
type model func(m moment, in *instance, h uint64) uint64

func gauge(m moment, _ *instance, h uint64) uint64 { return h%5000 + uint64(m.step)*(h%7) }

// events grows by less than 64 Ki a sample and stays below 2^32.
func events(m moment, _ *instance, h uint64) uint64 { return h>>40 + uint64(m.step)*(h&0xFFFF) }

// busy grows by less than one second per second, in units of 100 ns.
func busy(m moment, _ *instance, h uint64) uint64 { return h>>24 + uint64(m.step)*(h%1e7) }

// part and whole are the two values of a fraction.
func part(_ moment, _ *instance, h uint64) uint64  { return h % 1000 }
func whole(_ moment, _ *instance, h uint64) uint64 { return 1000 + h%1000 }

func stamp(m moment, _ *instance, _ uint64) uint64     { return uint64(m.time) }
func start(_ moment, in *instance, _ uint64) uint64    { return uint64(in.start) }
func pid(_ moment, in *instance, _ uint64) uint64      { return uint64(in.pid) }
func threadID(_ moment, in *instance, _ uint64) uint64 { return uint64(in.tid) }
func threads(_ moment, in *instance, _ uint64) uint64  { return uint64(in.threads) }

// processCounters are the counters of Windows' object Process, 230.
var processCounters = []definition{
	{6, counter.Timer100NSec, 8, busy},
	{142, counter.Timer100NSec, 8, busy},
	{144, counter.Timer100NSec, 8, busy},
	{172, counter.LargeRawCount, 8, gauge},
	{174, counter.LargeRawCount, 8, gauge},
	{28, counter.CounterCounter, 4, events},
	{178, counter.LargeRawCount, 8, gauge},
	{180, counter.LargeRawCount, 8, gauge},
	{1478, counter.LargeRawCount, 8, gauge},
	{182, counter.LargeRawCount, 8, gauge},
	{184, counter.LargeRawCount, 8, gauge},
	{186, counter.LargeRawCount, 8, gauge},
	{680, counter.RawCount, 4, threads},
	{682, counter.RawCount, 4, gauge},
	{684, counter.ElapsedTime, 8, start},
	{784, counter.RawCount, 4, pid},
	{1410, counter.RawCount, 4, gauge},
	{56, counter.RawCount, 4, gauge},
	{58, counter.RawCount, 4, gauge},
	{952, counter.RawCount, 4, gauge},
	{1412, counter.BulkCount, 8, events},
	{1414, counter.BulkCount, 8, events},
	{1416, counter.BulkCount, 8, events},
	{1418, counter.BulkCount, 8, events},
	{1420, counter.BulkCount, 8, events},
	{1422, counter.BulkCount, 8, events},
	{1424, counter.BulkCount, 8, events},
	{1426, counter.BulkCount, 8, events},
}

// threadCounters are the counters of Windows' object Thread, 232.
var threadCounters = []definition{
	{6, counter.Timer100NSec, 8, busy},
	{142, counter.Timer100NSec, 8, busy},
	{144, counter.Timer100NSec, 8, busy},
	{146, counter.CounterCounter, 4, events},
	{684, counter.ElapsedTime, 8, start},
	{694, counter.RawCount, 4, gauge},
	{682, counter.RawCount, 4, gauge},
	{706, counter.LargeRawCountHex, 8, gauge},
	{46, counter.RawCount, 4, gauge},
	{336, counter.RawCount, 4, gauge},
	{784, counter.RawCount, 4, pid},
	{804, counter.RawCount, 4, threadID},
}

// mixture lists the counters of the other objects. Bases follow their counters.
var mixture = []definition{
	{typ: counter.CounterCounter, size: 4, model: events},
	{typ: counter.RawCount, size: 4, model: gauge},
	{typ: counter.BulkCount, size: 8, model: events},
	{typ: counter.CounterCounter, size: 4, model: events},
	{typ: counter.Timer100NSec, size: 8, model: busy},
	{typ: counter.LargeRawCount, size: 8, model: gauge},
	{typ: counter.AverageTimer, size: 8, model: busy},
	{typ: counter.AverageBase, size: 4, model: events},
	{typ: counter.RawCount, size: 4, model: gauge},
	{typ: counter.RawCount, size: 4, model: gauge},
	{typ: counter.RawFraction, size: 4, model: part},
	{typ: counter.RawBase, size: 4, model: whole},
	{typ: counter.BulkCount, size: 8, model: events},
	{typ: counter.AverageBulk, size: 8, model: events},
	{typ: counter.AverageBase, size: 4, model: events},
	{typ: counter.CounterCounter, size: 4, model: events},
	{typ: counter.TimerInv100NSec, size: 8, model: busy},
	{typ: counter.Precision100NSTimer, size: 8, model: busy},
	{typ: counter.PrecisionTimestamp, size: 8, model: stamp},
	{typ: counter.LargeRawCount, size: 8, model: gauge},
}

// mixed returns n counters of the mixture from a position that depends on the object. A last
// counter without space for its base becomes a raw count.
func mixed(title uint32, n int) []definition {
	defs := make([]definition, n)
	at := int(title / 100)
	for at%len(mixture) > 0 && mixture[at%len(mixture)].typ.IsBase() {
		at++
	}

	for i := range defs {
		defs[i] = mixture[(at+i)%len(mixture)]
		defs[i].title = title + 2*uint32(i+1)
	}

	if last := &defs[n-1]; last.typ.NeedsBase() {
		last.typ, last.model = counter.LargeRawCount, gauge
		if last.size == 4 {
			last.typ = counter.RawCount
		}
	}
	return defs
}

// hash mixes two numbers into a pseudo-random one (the finaliser of SplitMix64).
func hash(a, b uint64) uint64 {
	x := a*0x9E3779B97F4A7C15 + b
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
