package nametable

import (
	"fmt"
	"testing"
)

// madeTable returns a table as large as those of today: 10,000 names.
func madeTable(tb testing.TB) []byte {
	texts := map[uint32]string{1: "1847"}
	for i := range uint32(10000) {
		texts[2*i+2] = fmt.Sprintf("Counter Number %d/sec", i%8000)
	}
	table, err := FromMap(Counter, texts)
	if err != nil {
		tb.Fatal(err)
	}
	return table.Encode(nil)
}

func BenchmarkParse(b *testing.B) {
	data := madeTable(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(data, Options{Kind: Counter})
	}
}

// BenchmarkReference is what Parse is measured against: decode, split, fill a map.
func BenchmarkReference(b *testing.B) {
	data := madeTable(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		reference(data)
	}
}

func BenchmarkName(b *testing.B) {
	data := madeTable(b)
	b.Run("table", func(b *testing.B) {
		table, _ := Parse(data, Options{Kind: Counter})
		for i := uint32(0); b.Loop(); i++ {
			table.Name(i % 20000)
		}
	})
	b.Run("map", func(b *testing.B) {
		m := reference(data)
		for i := uint32(0); b.Loop(); i++ {
			_ = m[i%20000]
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	table, _ := Parse(madeTable(b), Options{Kind: Counter})
	for b.Loop() {
		table.lookup("counter number 7999/SEC")
	}
}

func BenchmarkEncode(b *testing.B) {
	table, _ := Parse(madeTable(b), Options{Kind: Counter})
	var buf []byte
	for b.Loop() {
		buf = table.Encode(buf[:0])
	}
}
