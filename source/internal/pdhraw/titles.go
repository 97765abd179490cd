package pdhraw

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/nametable"
)

// firstTitle is the first index for names without a number of Windows, whose numbers have at most
// five digits.
const firstTitle = 1_000_000

// windowsTitles are the indices that identify processes and threads in samples of every Windows,
// and the objects that are requested by number.
var windowsTitles = map[string]uint32{
	"system": titles.System, "memory": titles.Memory, "process": titles.Process, "thread": titles.Thread,
	"physicaldisk": titles.PhysicalDisk, "logicaldisk": titles.LogicalDisk, "processor": titles.Processor,
	"% processor time": titles.ProcessorTime, "elapsed time": titles.ElapsedTime,
	"id process": titles.IDProcess, "id thread": titles.IDThread,
}

// Titles assigns title indices to names, ignoring case, and provides the schema for them. Use
// NewTitles; the zero Titles is not usable.
type Titles struct {
	byName map[string]uint32 // in lower case
	log    []byte            // the log's own table: MULTI_SZ without its end
	own    map[uint32]string // names missing from log
	next   uint32
	schema *winperf.Schema // nil if a name was added
}

// NewTitles returns Titles that begin with a log's name table, which may be empty.
func NewTitles(log winperf.NameTable) *Titles {
	t := &Titles{byName: map[string]uint32{}, own: map[uint32]string{}, next: firstTitle}
	if len(log.Counter) == 0 {
		return t
	}

	t.log = slices.Clone(log.Counter[:len(log.Counter)-2])
	table, _ := nametable.Parse(log.Counter, nametable.Options{Kind: nametable.Counter, Tolerant: true})
	for index, name := range table.All() {
		if index >= t.next && index < 1<<31 {
			t.next = (index + 2) &^ 1
		}
		if key := strings.ToLower(name); index > 1 && t.byName[key] == 0 {
			t.byName[key] = index
		}
	}
	return t
}

// Clone returns an independent copy. Both share the schema until a name is added.
func (t *Titles) Clone() *Titles {
	c := *t
	c.byName, c.own = maps.Clone(t.byName), maps.Clone(t.own)
	return &c
}

// Index returns the title index of a name, and assigns one if needed.
func (t *Titles) Index(name string) uint32 {
	key := strings.ToLower(name)
	if index := t.byName[key]; index != 0 {
		return index
	}

	index := windowsTitles[key]
	if index == 0 || len(t.log) > 0 { // a log with a name table lists all names in it
		index = t.next
		t.next += 2
	}

	t.byName[key], t.own[index] = index, name
	t.schema = nil
	return index
}

// Schema returns the schema of all names. It stays the same until a name is added.
func (t *Titles) Schema() *winperf.Schema {
	if t.schema != nil {
		return t.schema
	}
	table := slices.Clone(t.log)
	for _, index := range slices.Sorted(maps.Keys(t.own)) {
		if name := t.own[index]; name != "" { // a name table cannot contain ""
			table = wire.AppendUTF16Z(wire.AppendUTF16Z(table, strconv.FormatUint(uint64(index), 10)), name)
		}
	}

	t.schema = &winperf.Schema{Interface: "log"}
	if len(table) > 0 {
		t.schema.Names = []winperf.NameTable{{Language: nametable.English, Counter: append(table, 0, 0)}}
	}
	return t.schema
}
