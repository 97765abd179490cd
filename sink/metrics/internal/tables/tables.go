// Package tables parses and embeds the tables of other programs' metric names.
//
// A table is text. An empty line ends a block, and # begins a comment. A block begins with words
// and their values, one per line:
//
//	collector  the part of the other program that has these metrics
//	object     English name of an object of the rows, optionally with labels: TCPv4 {af=ipv4}
//	else       a substitute if the sample has none of the previous objects
//	labels     the labels of an instance and their rules: nic=instance, process_id=[ID Process]
//	one        the values of the instances are added up, without labels
//	total      the values of the instance _Total, without labels
//	facts      the rows are facts of the machine, not counters
//	exporter   the rows are about the exporting program
//	absent     the rows are not exposed, and give the reason
//
// Its rows follow, with | between the fields:
//
//	metric | G, C or I | labels | counter | conversion | unit
//
// G is a gauge, C a counter, I an up-down counter (a gauge whose values can be added). Labels are
// common to all values of the row (mode=idle); facts and absent rows have only names. The counter
// is an English name; "A or B" uses B for objects without A, and some conversions need two
// counters, joined by +. The unit is in UCUM. Trailing fields are optional.
//
// SQLServer: in the name of an object also matches MSSQL$NAME:.
package tables

import (
	"embed"

	"github.com/winperf/winperf"
)

//go:embed *.txt
var texts embed.FS

// Table is a set of blocks.
type Table struct{ Blocks []Block }

// Kind is the origin of the values of a block.
type Kind uint8

// The kinds.
const (
	Counters Kind = iota // objects and their counters
	Facts                // facts of the machine
	Exporter             // facts of the exporting program
	Absent               // none: these are not exposed
)

// Block is a group of rows of the same objects.
type Block struct {
	Collector string
	Kind      Kind
	Objects   []Object
	Labels    []Label
	// One adds the values of all instances up to one without labels.
	One bool
	// Total uses only the instance _Total, without labels.
	Total bool
	Rows  []Row
}

// Object is an object of the rows of a block.
type Object struct {
	Name   string
	Labels []Pair
	// Else uses the object only if the sample has none of the previous objects.
	Else bool
}

// Label is a label of an instance.
type Label struct {
	Name string
	Rule Rule
	// Counters are counter names for Rule Value and User; the first one that the object has is used.
	Counters []string
	// Key is the word before the value for Rule After.
	Key string
}

// Rule defines the value of an instance's label.
type Rule uint8

// The rules.
const (
	Instance Rule = iota // the instance's name
	Word                 // the name up to its first space
	Process              // the name up to the first # or :
	Value                // the value of a counter, in decimal
	User                 // the name of the user whose id is the value of a counter
	Last                 // the name; only the last instance with a name is used
	Pid                  // the first part of PID_NAME
	Pool                 // the second part of PID_NAME
	Core                 // the number at the end of the name
	Logical              // for NODE,NUMBER the position in all processors, else the name
	VM                   // the name up to its last :
	File                 // the name without a leading \??\
	Session              // the name of a terminal session
	SQL                  // the instance of SQL Server in the name of the object
	Lower                // the name in lower case, with _ for spaces and points
	Remote               // the name of a remote session
	Server               // the first part of \SERVER\SHARE
	Share                // the second part of \SERVER\SHARE
	Command              // the command line of the process whose id is the label process_id
	After                // the word after Key in a name of words joined by _; two words after luid
)

var rules = map[string]Rule{
	"instance": Instance, "word": Word, "process": Process, "last": Last, "pid": Pid, "pool": Pool,
	"core": Core, "logical": Logical, "vm": VM, "file": File, "session": Session, "sql": SQL,
	"lower": Lower, "remote": Remote, "server": Server, "share": Share, "command": Command,
}

// Pair is a label of a row.
type Pair struct{ Name, Value string }

// Row is a metric, or its values with Labels.
type Row struct {
	Metric string
	Type   byte // 'G', 'C' or 'I'
	Labels []Pair
	// Counters are names of counters, two if the conversion needs two.
	Counters []string
	// Else replaces a missing counter; "" for none.
	Else    string
	Convert Conversion
	Unit    string
	Line    int // in the file
}

// Conversion converts a raw value to the value of a metric.
type Conversion struct {
	Op Op
	// Times and Over default to 1. Raw and Base use both, Start and Is only Times.
	Times, Over float64
}

// Op is the operation of a conversion.
type Op uint8

// The operations. Only Raw converts time to seconds.
const (
	Raw        Op = iota // the raw value, times Times over Over
	Base                 // the raw value of the base, times Times over Over
	Seconds              // over the ticks per second of the counter's clock or the performance counter
	Start                // the start for an elapsed time, in seconds since 1970, in whole Times
	Elapsed              // an elapsed time in seconds
	Is                   // 1 if the raw value is Times, else 0
	Sum                  // the sum of two raw values
	Less                 // the first raw value minus the second
	First                // the first raw value, if the second counter exists: only one system has it
	High                 // the first raw value times 2^32 plus the second
	Percent              // the raw value in percent of its base
	Ratio                // the raw value divided by its base
	Rest                 // 1 minus Ratio
	Remainder            // the base minus the raw value
	Kelvin               // tenths of kelvin to degrees Celsius
	Size                 // size of a file system, from % Free Space and Free Megabytes
	Pages                // bytes of a paging file, from % Usage
	FreePages            // unused bytes of a paging file
	Used                 // used bytes of a paging file
	UsedSpace            // used bytes of a file system, from % Free Space and Free Megabytes
	UsedMemory           // the physical memory minus the raw value
	Count                // number of instances, without a counter
	One                  // 1, without a counter
)

// The names of operations, with their number of counters.
var ops = map[string]struct {
	op       Op
	counters int
}{
	"base": {Base, 1}, "seconds": {Seconds, 1}, "start": {Start, 1}, "elapsed": {Elapsed, 1}, "is": {Is, 1},
	"sum": {Sum, 2}, "less": {Less, 2}, "first": {First, 2}, "high": {High, 2},
	"percent": {Percent, 1}, "ratio": {Ratio, 1},
	"rest": {Rest, 1}, "remainder": {Remainder, 1}, "kelvin": {Kelvin, 1},
	"size": {Size, 2}, "used space": {UsedSpace, 2},
	"pages": {Pages, 1}, "free pages": {FreePages, 1}, "used pages": {Used, 1},
	"used memory": {UsedMemory, 1}, "count": {Count, 0}, "one": {One, 0},
}

// WindowsExporter returns the names of windows_exporter.
func WindowsExporter() (*Table, error) {
	return read("windows_core.txt", "windows_roles.txt", "windows_dotnet.txt", "windows_mssql.txt",
		"windows_hyperv.txt", "windows_products.txt")
}

// Legacy returns former names of windows_exporter.
func Legacy() (*Table, error) { return read("windows_legacy.txt") }

// OTel returns the names of OpenTelemetry's semantic conventions.
func OTel() (*Table, error) { return read("otel.txt") }

func read(names ...string) (*Table, error) {
	var t Table
	for _, name := range names {
		text, err := texts.ReadFile(name)
		if err != nil {
			return nil, err
		}

		blocks, err := Parse(name, string(text))
		if err != nil {
			return nil, err
		}
		t.Blocks = append(t.Blocks, blocks...)
	}
	return &t, nil
}

func problem(name string, line int, msg string) error {
	return &winperf.DataError{Source: name, Line: line, Msg: msg}
}
