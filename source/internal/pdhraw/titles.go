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

// firstTitle is the first index given to names that Windows numbers otherwise
// or not at all. Real ones have five digits.
const firstTitle = 1_000_000

// windowsTitles are the indices by which samples of every Windows tell processes
// and threads, and of the objects that are asked for by number.
var windowsTitles = map[string]uint32{
	"system": titles.System, "memory": titles.Memory, "process": titles.Process, "thread": titles.Thread,
	"physicaldisk": titles.PhysicalDisk, "logicaldisk": titles.LogicalDisk, "processor": titles.Processor,
	"% processor time": titles.ProcessorTime, "elapsed time": titles.ElapsedTime,
	"id process": titles.IDProcess, "id thread": titles.IDThread,
}

// Titles gives names title indices, the same whatever the case of their
// letters, and knows them as a schema. The zero Titles is not ready; see
// NewTitles.
type Titles struct {
	byName map[string]uint32 // in lower case
	log    []byte            // the log's own table: MULTI_SZ without its end
	own    map[uint32]string // names that it lacks
	next   uint32
	schema *winperf.Schema // nil while there are names that it lacks
}

// NewTitles returns Titles that begin with a log's own name table, which may be
// empty.
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

// Clone returns Titles that go on from here on their own, with the same schema
// as long as they need no other.
func (t *Titles) Clone() *Titles {
	c := *t
	c.byName, c.own = maps.Clone(t.byName), maps.Clone(t.own)
	return &c
}

// Index returns the title index of a name, a new one if it has none.
func (t *Titles) Index(name string) uint32 {
	key := strings.ToLower(name)
	if index := t.byName[key]; index != 0 {
		return index
	}

	index := windowsTitles[key]
	if index == 0 || len(t.log) > 0 { // a log that has a table would have it there
		index = t.next
		t.next += 2
	}

	t.byName[key], t.own[index] = index, name
	t.schema = nil
	return index
}

// Schema returns the schema with all names so far. It is the same one until a
// name is new.
func (t *Titles) Schema() *winperf.Schema {
	if t.schema != nil {
		return t.schema
	}
	table := slices.Clone(t.log)
	for _, index := range slices.Sorted(maps.Keys(t.own)) {
		if name := t.own[index]; name != "" { // which a name table cannot hold
			table = wire.AppendUTF16Z(wire.AppendUTF16Z(table, strconv.FormatUint(uint64(index), 10)), name)
		}
	}

	t.schema = &winperf.Schema{Interface: "log"}
	if len(table) > 0 {
		t.schema.Names = []winperf.NameTable{{Language: nametable.English, Counter: append(table, 0, 0)}}
	}
	return t.schema
}
