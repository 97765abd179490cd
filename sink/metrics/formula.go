package metrics

import (
	"slices"

	"github.com/winperf/winperf/counter"
)

// mapping describes the metrics of some counter types, under winperf's own names.
type mapping struct {
	Types []counter.Type
	// Families are the suffixes of the counter's metrics and their types.
	Families []mappedFamily
	// Expression is PromQL over these metrics, in which x is the beginning of their names. It
	// computes the value of [counter.Cook] over the range of rate and increase, in base units.
	Expression string
	// Brief describes the metrics in one line.
	Brief string
}

type mappedFamily struct {
	Suffix string
	Type   Type
}

// Expression returns the PromQL expression for the displayed value of counters of a type. In it, x
// is the beginning of the metric names of the counter. Expression returns "" for a type without
// metrics.
func Expression(t counter.Type) string {
	if f := formulaOf(t); f != nil {
		return f.Expression
	}
	return ""
}

type formula struct {
	mapping
	// make returns the templates of the counter at position k, named by their suffixes.
	make func(d *definition, k int, u unit) []template
}

func formulaOf(t counter.Type) *formula {
	for i := range formulas {
		if slices.Contains(formulas[i].Types, t) {
			return &formulas[i]
		}
	}
	return nil
}

// Counter types without a name in winperf.h.
const (
	rawDec1000      counter.Type = 0x00020000
	largeRawDec1000 counter.Type = 0x00020100
)

// formulas is the table of mappings: a row for each formula, or for each form of its raw values.
var formulas = [...]formula{
	{mapping{
		Types: []counter.Type{
			counter.RawCount, counter.LargeRawCount, counter.RawCountHex, counter.LargeRawCountHex,
			counter.DoubleRaw, rawDec1000, largeRawDec1000,
		},
		Families:   []mappedFamily{{"", Gauge}},
		Expression: "x", Brief: "the value, in base units",
	}, gauges},
	{mapping{
		Types:      []counter.Type{counter.Delta, counter.LargeDelta},
		Families:   []mappedFamily{{"_total", Counter}},
		Expression: "increase(x_total)", Brief: "the running count",
	}, counts},
	{mapping{
		Types:      []counter.Type{counter.CounterCounter, counter.BulkCount, counter.SampleCounter},
		Families:   []mappedFamily{{"_total", Counter}},
		Expression: "rate(x_total)", Brief: "the running count",
	}, counts},
	{mapping{
		Types:      []counter.Type{counter.Timer, counter.Timer100NSec, counter.ObjTimeTimer},
		Families:   []mappedFamily{{"_seconds_total", Counter}},
		Expression: "100 * rate(x_seconds_total)", Brief: "the total active time",
	}, timers("_seconds_total", "")},
	{mapping{
		Types:      []counter.Type{counter.TimerInv, counter.TimerInv100NSec},
		Families:   []mappedFamily{{"_inactive_seconds_total", Counter}},
		Expression: "100 * (1 - rate(x_inactive_seconds_total))", Brief: "the total inactive time",
	}, timers("_inactive_seconds_total", "")},
	{mapping{
		Types:      []counter.Type{counter.MultiTimer, counter.MultiTimer100NSec},
		Families:   []mappedFamily{{"_seconds_total", Counter}, {"_components", Gauge}},
		Expression: "100 * rate(x_seconds_total) / x_components",
		Brief:      "the total active time of all components, and their number",
	}, timers("_seconds_total", "_components")},
	{mapping{
		Types:      []counter.Type{counter.MultiTimerInv, counter.MultiTimerInv100NSec},
		Families:   []mappedFamily{{"_inactive_seconds_total", Counter}, {"_components", Gauge}},
		Expression: "100 * (x_components - rate(x_inactive_seconds_total))",
		Brief:      "the total inactive time of all components, and their number",
	}, timers("_inactive_seconds_total", "_components")},
	{mapping{
		Types: []counter.Type{
			counter.QueueLen, counter.LargeQueueLen, counter.QueueLen100NS, counter.ObjTimeQueueLen,
		},
		Families:   []mappedFamily{{"_queue_seconds_total", Counter}},
		Expression: "rate(x_queue_seconds_total)",
		Brief:      "the total waiting time of all requests; its rate is the mean queue length",
	}, timers("_queue_seconds_total", "")},
	{mapping{
		Types:      []counter.Type{counter.RawFraction, counter.LargeRawFraction},
		Families:   []mappedFamily{{"_numerator", Gauge}, {"_denominator", Gauge}},
		Expression: "100 * x_numerator / x_denominator", Brief: "the part and the whole",
	}, fractions("_numerator", "_denominator", Gauge)},
	{mapping{
		Types:      []counter.Type{counter.SampleFraction},
		Families:   []mappedFamily{{"_hits_total", Counter}, {"_samples_total", Counter}},
		Expression: "100 * rate(x_hits_total) / rate(x_samples_total)",
		Brief:      "the running counts of hits and of tries",
	}, fractions("_hits_total", "_samples_total", Counter)},
	{mapping{
		Types:      []counter.Type{counter.AverageTimer},
		Families:   []mappedFamily{{"_seconds", Summary}},
		Expression: "rate(x_seconds_sum) / rate(x_seconds_count)",
		Brief:      "the total duration of all operations, and their number",
	}, averages},
	{mapping{
		Types:      []counter.Type{counter.AverageBulk},
		Families:   []mappedFamily{{"", Summary}},
		Expression: "rate(x_sum) / rate(x_count)",
		Brief:      "the total amount of all operations, and their number",
	}, averages},
	{mapping{
		Types: []counter.Type{
			counter.PrecisionSystemTimer, counter.Precision100NSTimer, counter.PrecisionObjectTimer,
		},
		Families:   []mappedFamily{{"_seconds_total", Counter}, {"_base_seconds_total", Counter}},
		Expression: "100 * rate(x_seconds_total) / rate(x_base_seconds_total)",
		Brief:      "the total active time, and the time by the provider's own timestamps",
	}, precisionTimers},
	{mapping{
		Types:      []counter.Type{counter.ElapsedTime},
		Families:   []mappedFamily{{"_start_time_seconds", Gauge}},
		Expression: "time() - x_start_time_seconds", Brief: "the start time, in seconds since 1970",
	}, startTimes},
	{mapping{
		Types:      []counter.Type{counter.CounterText},
		Families:   []mappedFamily{{"_info", Info}},
		Expression: "x_info", Brief: "1, with the text as the label \"text\"",
	}, texts},
}

func single(suffix string, t Type, unit string, v value, counters ...int) template {
	return template{Name: suffix, Type: t, Unit: unit, Columns: []columnTemplate{{Counters: counters, Value: v}}}
}

// gauges are raw counts. Some are known by name to be counters.
func gauges(d *definition, k int, u unit) []template {
	switch {
	case d.Type == counter.DoubleRaw:
		return []template{single(u.suffix(), Gauge, u.name, doubleBy(k, u.factor(), u.offset), k)}
	case d.Type == rawDec1000, d.Type == largeRawDec1000:
		return []template{single(u.suffix(), Gauge, u.name, decimal(k, 1e-3*u.factor(), 0), k)}
	case u.grows:
		return []template{single(u.suffix()+"_total", Counter, u.name, u.value(k), k)}
	}
	return []template{single(u.suffix(), Gauge, u.name, u.value(k), k)}
}

func counts(_ *definition, k int, u unit) []template {
	return []template{single(u.suffix()+"_total", Counter, u.name, u.value(k), k)}
}

// timers are accumulated times in seconds.
func timers(suffix, number string) func(*definition, int, unit) []template {
	return func(d *definition, k int, _ unit) []template {
		out := []template{single(suffix, Counter, "seconds", seconds(k, d.Type.Clock()), k)}
		if number != "" {
			out = append(out, single(number, Gauge, "", components(k), k))
		}
		return out
	}
}

// fractions are a counter and its base.
func fractions(part, all string, t Type) func(*definition, int, unit) []template {
	return func(d *definition, k int, _ unit) []template {
		if d.Base < 0 {
			return nil
		}
		return []template{single(part, t, "", whole(k), k), single(all, t, "", whole(d.Base), d.Base)}
	}
}

// averages are the sum over all operations and their number.
func averages(d *definition, k int, u unit) []template {
	if d.Base < 0 {
		return nil
	}

	sum := u.value(k)
	if d.Type == counter.AverageTimer {
		u, sum = unit{name: "seconds"}, seconds(k, counter.TickClock)
	}
	return []template{{Name: u.suffix(), Type: Summary, Unit: u.name, Columns: []columnTemplate{
		{Suffix: "_sum", Counters: []int{k}, Value: sum},
		{Suffix: "_count", Counters: []int{d.Base}, Value: whole(d.Base)},
	}}}
}

// precisionTimers are a time and its reference clock, in ticks of the same clock.
func precisionTimers(d *definition, k int, _ unit) []template {
	if d.Base < 0 {
		return nil
	}
	clock := d.Type.TimerClock()
	return []template{
		single("_seconds_total", Counter, "seconds", seconds(k, clock), k),
		single("_base_seconds_total", Counter, "seconds", secondsLike(d.Base, k, clock), d.Base),
	}
}

func startTimes(_ *definition, k int, _ unit) []template {
	return []template{single("_start_time_seconds", Gauge, "seconds", startTime(k), k)}
}

func texts(_ *definition, k int, _ unit) []template {
	return []template{single("_info", Info, "", one(), k)}
}
