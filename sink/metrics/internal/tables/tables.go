// Package tables holds the names that other programs give to counters, a row a metric, and reads them.
//
// A table is text. An empty line ends a block, and # begins a comment. A block says first what
// it is of, a word and its value a line:
//
//	collector  the part of the other program that has these metrics
//	object     English name of an object that the rows are of, maybe with labels: TCPv4 {af=ipv4}
//	else       an object to take where the sample has none of those before
//	labels     the labels of an instance and how each is made: nic=instance, process_id=[ID Process]
//	one        the instances have no labels: their values are added up
//	facts      the rows are no counters: the machine knows them
//	exporter   the rows are about the exporting program
//	absent     the rows are not exposed, and say why
//
// Then come its rows, with | between the fields:
//
//	metric | G, C or I | labels | counter | conversion | unit
//
// G is a gauge, C a counter, I an up-down counter, which is a gauge whose values add up to something.
// Labels are those that all values of the row have (mode=idle); of facts and what is absent only their
// names. The counter is its English name; "A or B" takes B of objects that lack A, and some conversions
// take two counters, with + between them. The unit is in UCUM, for names that have one. Fields at the end
// may be missing.
//
// SQLServer: in the name of an object stands for MSSQL$NAME: too.
package tables

import (
	"embed"

	"github.com/winperf/winperf"
)

//go:embed *.txt
var texts embed.FS

// Table is a set of blocks.
type Table struct{ Blocks []Block }

// Kind tells where the values of a block are from.
type Kind uint8

// The kinds.
const (
	Counters Kind = iota // objects and their counters
	Facts                // what the machine knows about itself
	Exporter             // what the exporting program knows about itself
	Absent               // nowhere: these are not exposed
)

// Block is a group of rows of the same objects.
type Block struct {
	Collector string
	Kind      Kind
	Objects   []Object
	Labels    []Label
	// One tells that the values of all instances are added up to one without labels.
	One  bool
	Rows []Row
}

// Object is an object that the rows of a block may be of.
type Object struct {
	Name   string
	Labels []Pair
	// Else tells that the object counts only where those before it are not in the sample.
	Else bool
}

// Label is a label of an instance.
type Label struct {
	Name string
	Rule Rule
	// Counters has the names of the counter whose value the label has, for Rule Value; the
	// first that the object has counts.
	Counters []string
}

// Rule says what an instance's label is made of.
type Rule uint8

// The rules.
const (
	Instance Rule = iota // the instance's name
	Word                 // the name up to its first space
	Process              // the name up to the first # or :
	Value                // the value of a counter, in decimal
	Last                 // the name; of those with the same name the last one counts
	Pid                  // of PID_NAME the first part
	Pool                 // of PID_NAME the second part
	Core                 // the number at the end of the name
	Logical              // of NODE,NUMBER the place among all processors, else the name
	VM                   // the name up to its last :
	File                 // the name without a leading \??\
	Session              // a terminal session's name
	SQL                  // the instance of SQL Server in the name of the object
)

var rules = map[string]Rule{
	"instance": Instance, "word": Word, "process": Process, "last": Last, "pid": Pid, "pool": Pool,
	"core": Core, "logical": Logical, "vm": VM, "file": File, "session": Session, "sql": SQL,
}

// Pair is a label of a row.
type Pair struct{ Name, Value string }

// Row is a metric, or those values of it that have its labels.
type Row struct {
	Metric string
	Type   byte // 'G', 'C' or 'I'
	Labels []Pair
	// Counters are names of counters: none where the value is of none, two where the conversion
	// wants two.
	Counters []string
	// Else is taken of objects that lack the counter; "" where there is no other.
	Else    string
	Convert Conversion
	Unit    string
	Line    int // in the file
}

// Conversion makes the value of a metric of a raw value.
type Conversion struct {
	Op Op
	// Times and Over are 1 where the table says nothing else. They belong to Raw and Base, Times to
	// Start and Is, too.
	Times, Over float64
}

// Op is what a conversion does.
type Op uint8

// The operations. A raw value that counts time becomes seconds in Raw and in nothing else.
const (
	Raw        Op = iota // the raw value, times Times over Over
	Base                 // the raw value of the base, times Times over Over
	Seconds              // over the ticks per second of the counter's clock, or of the performance counter
	Start                // of an elapsed time, when it began: seconds since 1970, in whole Times
	Elapsed              // of an elapsed time, the seconds
	Is                   // 1 where the raw value is Times, else 0
	Sum                  // of two raw values
	Less                 // the first raw value less the second one
	High                 // the first raw value times 2^32 and the second one
	Percent              // the raw value as a percentage of its base
	Ratio                // the raw value as a part of its base
	Rest                 // what the raw value lacks to 1, as a part of its base
	Kelvin               // tenths of kelvin to degrees Celsius
	Size                 // size of a file system, of its % Free Space and Free Megabytes
	Pages                // bytes of a paging file, of its % Usage
	FreePages            // bytes of a paging file that are not in use
	Used                 // bytes of a paging file that are in use
	UsedSpace            // bytes of a file system that are in use, of % Free Space and Free Megabytes
	UsedMemory           // what is there of physical memory less the raw value
	Count                // number of instances; it takes no counter
	One                  // 1; it takes no counter
)

// An operation as a table spells it, with the number of counters that it takes.
var ops = map[string]struct {
	op       Op
	counters int
}{
	"base": {Base, 1}, "seconds": {Seconds, 1}, "start": {Start, 1}, "elapsed": {Elapsed, 1}, "is": {Is, 1},
	"sum": {Sum, 2}, "less": {Less, 2}, "high": {High, 2}, "percent": {Percent, 1}, "ratio": {Ratio, 1},
	"rest": {Rest, 1}, "kelvin": {Kelvin, 1}, "size": {Size, 2}, "used space": {UsedSpace, 2},
	"pages": {Pages, 1}, "free pages": {FreePages, 1}, "used pages": {Used, 1},
	"used memory": {UsedMemory, 1}, "count": {Count, 0}, "one": {One, 0},
}

// WindowsExporter returns the names of windows_exporter.
func WindowsExporter() (*Table, error) {
	return read("windows_core.txt", "windows_roles.txt", "windows_dotnet.txt", "windows_mssql.txt",
		"windows_hyperv.txt")
}

// Legacy returns names that windows_exporter had once, without those it has now.
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

// problem is what is wrong in a line of a table.
func problem(name string, line int, msg string) error {
	return &winperf.DataError{Source: name, Line: line, Msg: msg}
}
