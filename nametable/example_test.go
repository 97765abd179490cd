package nametable_test

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// A table as the registry gives it, cut in the middle of a name.
func ExampleParse() {
	data := []byte("2\x00\x00\x00S\x00y\x00s\x00t\x00e\x00m\x00\x00\x004\x00\x00\x00M\x00e\x00m\x00")
	table, damage := nametable.Parse(data, nametable.Options{Kind: nametable.Counter})
	for index, name := range table.All() {
		fmt.Println(index, name)
	}
	for _, d := range damage {
		fmt.Println(d)
	}
	// Output:
	// 2 System
	// 4 Mem
	// name table: byte 28: found the end of the data, expected an empty string that ends the list; used the end of the data
}

// Names of two languages, asked for in either and shown in one.
func ExampleFromSchema() {
	english, _ := nametable.FromMap(nametable.Mixed, map[uint32]string{
		6: "% Processor Time", 7: "The part of the time that was used.", 230: "Process", 232: "Thread",
	})
	german, _ := nametable.FromMap(nametable.Mixed, map[uint32]string{6: "Prozessorzeit (%)", 230: "Prozess"})
	names, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{
		german.NameTable("007"), english.NameTable("009"),
	}})
	fmt.Println(names.Lookup("process"), names.Lookup("Prozess"))
	fmt.Println(names.Title(230), names.Title(232), names.Title(234))
	fmt.Println(names.In("009").Title(230), "-", names.Help(7))
	// Output:
	// [230] [230]
	// Prozess Thread #234
	// Process - The part of the time that was used.
}

// Which of two counters of the same name an object has.
func ExampleNames_LookupCounter() {
	table, _ := nametable.FromMap(nametable.Counter,
		map[uint32]string{1482: "% Idle Time", 1746: "% Idle Time"})
	names, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{table.NameTable("009")}})
	processor := []uint32{6, 142, 144, 1746}
	fmt.Println(names.LookupCounter(processor, "% idle time"))
	// Output: 1746 <nil>
}

// A names file as a text editor writes it.
func ExampleReadFile() {
	file := strings.NewReader("# ours\n2\tSystem\n3\tThe whole machine.\n4 Memory\n")
	table, damage, err := nametable.ReadFile("names.tsv", file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range damage {
		fmt.Println(d)
	}

	names, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{table}})
	fmt.Println(names.Title(2), "-", names.Help(3), names.Title(4))
	// Output:
	// names.tsv:4:1: found "4 Memory", expected a decimal index up to 4294967295; skipped it
	// System - The whole machine. #4
}
