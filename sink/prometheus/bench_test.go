package prometheus

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/winperf/winperf/sink/metrics"
)

// BenchmarkEncode has the reference next to it in the same run. The bound is 1.3 of that, and
// no allocation.
func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{100, 10_000, 500_000} {
		for form, name := range []string{metrics.Whole: "whole", metrics.Ticks100ns: "ticks", metrics.Float: "float"} {
			set := benchSet(n, metrics.Form(form))
			b.Run(fmt.Sprintf("%d/%s/winperf", n, name), func(b *testing.B) { benchEncode(b, set, n) })
			b.Run(fmt.Sprintf("%d/%s/append", n, name), func(b *testing.B) { benchAppend(b, set, n) })
		}
	}
}

// benchSet returns a Set of n series of one form, in families of at most 1,000.
func benchSet(n int, form metrics.Form) *metrics.Set {
	var labels [][]metrics.Label
	for i := range min(n/10, 1000) {
		labels = append(labels, []metrics.Label{
			{Name: "name", Value: fmt.Sprintf("process%d", i)},
			{Name: "pid", Value: strconv.Itoa(1000 + 4*i)},
		})
	}
	rows := metrics.NewRows(labels, nil)

	set := &metrics.Set{Time: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)}
	for k := range n / len(labels) {
		c := metrics.Column{Rows: rows, Form: form}
		for i := range labels {
			c.Bits = append(c.Bits, benchValue(form, i*k))
		}
		name := fmt.Sprintf("winperf_process_number_%d_total", k)
		set.Families = append(set.Families, metrics.Family{
			Name: name, Type: metrics.Counter, Help: "Counter " + name, Columns: []metrics.Column{c},
		})
	}
	return set
}

// benchValue returns the bits of a value such as counters have.
func benchValue(form metrics.Form, i int) uint64 {
	n := uint64(i)*7919 + 12345
	if form == metrics.Float {
		return math.Float64bits(float64(n) / 7)
	}
	return n * 104729 % 1e12
}

// BenchmarkEncodeChurn writes 10,000 series of 1,000 instances that are others each time, so
// that all labels are made anew.
func BenchmarkEncodeChurn(b *testing.B) {
	sets := []*metrics.Set{benchSet(10_000, metrics.Whole), benchSet(10_000, metrics.Whole)}
	e := NewEncoder(Options{})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if err := e.Encode(io.Discard, sets[n%2]); err != nil {
			b.Fatal(err)
		}
		n++
	}
	perSeries(b, 10_000)
}

func benchEncode(b *testing.B, set *metrics.Set, n int) {
	e := NewEncoder(Options{})
	if err := e.Encode(io.Discard, set); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Encode(io.Discard, set); err != nil {
			b.Fatal(err)
		}
	}
	perSeries(b, n)
}

// cached is what the reference knows of a family: all its text but the numbers.
type cached struct {
	head   []byte
	form   metrics.Form
	labels [][]byte // with the name
	bits   []uint64
}

// benchAppend is the reference: the cached bytes of each series, and the number behind
// them by the standard library, where it has decimals as one would make them by hand.
func benchAppend(b *testing.B, set *metrics.Set, n int) {
	var all []cached
	for _, f := range set.Families {
		c := &f.Columns[0]
		family := cached{head: appendHead(nil, &f, Text), form: c.Form, bits: c.Bits}
		for i := range c.Bits {
			text := f.Name + "{" + string(appendLabels(nil, c.Rows.Labels(i))) + "} "
			family.labels = append(family.labels, []byte(text))
		}
		all = append(all, family)
	}

	buf := make([]byte, 0, bufferSize)
	for b.Loop() {
		for i := range all {
			buf = all[i].append(buf)
		}
		_, _ = io.Discard.Write(buf)
		buf = buf[:0]
	}
	perSeries(b, n)
}

func (c *cached) append(buf []byte) []byte {
	buf = append(buf, c.head...)
	for i, text := range c.labels {
		if len(buf)+len(text)+32+128 > cap(buf) { // 128 for the next head
			_, _ = io.Discard.Write(buf)
			buf = buf[:0]
		}
		buf = append(buf, text...)
		switch bits := c.bits[i]; c.form {
		case metrics.Whole:
			buf = strconv.AppendUint(buf, bits, 10)
		case metrics.Ticks100ns:
			buf = strconv.AppendUint(buf, bits/1e7, 10)
			at := len(buf)
			buf = strconv.AppendUint(buf, 1e7+bits%1e7, 10)
			buf[at] = '.' // in place of the 1 that keeps the zeros in front
		case metrics.Float:
			buf = strconv.AppendFloat(buf, math.Float64frombits(bits), 'g', -1, 64)
		}
		buf = append(buf, '\n')
	}
	return buf
}

func perSeries(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/series")
}
