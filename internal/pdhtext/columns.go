package pdhtext

import (
	"hash/maphash"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/textset"
)

// noColumn stands for the column of a series that has none.
const noColumn = -1

// columns are those of a log, and which reading each has in a moment. Beside the
// text of its path a column takes some 40 bytes: there may be a million.
type columns struct {
	paths   textset.Set // those of the columns, in their order; behind them those of aliases
	aliases []int32     // columns that have another path, too
	waiting []waiting
	owners  map[uint64]int32    // by the key of an instance and its counter: the column
	owned   map[int32]bool      // columns that are in owners
	late    map[uint64]struct{} // hashes of paths
	missing []string            // the first paths in late, at most maxMissing
	seed    maphash.Seed        // of these
	path    []byte              // of one reading

	row []uint32 // by column: 1 + position of its reading, 0 = none

	// By position in the readings of the last moment, which series was there and
	// which column it went to. Readings seldom change their order, so that comparing
	// two identities replaces the search for a path. A log of one moment has none.
	ids []winperf.SeriesID
	to  []int32

	byName bool
	names  []instanceName // by position, as ids
	keys   []uint64       // by position: hash of key and counter, 0 = no key
	holder []uint64       // by column: the last one of keys that it had
}

// instanceName is the name of an instance in a path.
type instanceName struct {
	text  string
	index int
}

// maxMissing is how many paths without a column are kept for a message.
const maxMissing = 3

// waiting is a column whose path named nothing when the log began.
type waiting struct {
	path   winperf.Path
	column int32
}

// newColumns makes columns of what is named, or else of the readings, and places
// the readings.
func newColumns(named []string, byName bool, readings winperf.Readings) *columns {
	c := &columns{
		byName: byName && named != nil,
		owners: map[uint64]int32{}, owned: map[int32]bool{},
		late: map[uint64]struct{}{}, seed: maphash.MakeSeed(),
	}
	if named == nil {
		c.add(readings)
		return c
	}
	c.name(named)
	c.place(readings)
	return c
}

// name makes a column for each path.
func (c *columns) name(paths []string) {
	size := 0
	for _, path := range paths {
		size += len(path)
	}
	c.paths.Grow(len(paths), size)
	for _, path := range paths {
		c.path = append(c.path[:0], path...)
		c.paths.Add(c.path)
	}
	c.row = make([]uint32, c.paths.Len())
	if c.byName {
		c.holder = make([]uint64, c.paths.Len())
	}
}

// add makes a column for each path of the readings, and notes which goes there.
func (c *columns) add(readings winperf.Readings) {
	size := 0
	for i := range readings.Len() {
		size += len(c.text(readings.At(i).Path))
	}

	c.paths.Grow(readings.Len(), size)
	c.row = make([]uint32, 0, readings.Len())

	for i := range readings.Len() {
		r := readings.At(i)
		n, added := c.paths.Add(c.text(r.Path))
		if added {
			c.row = append(c.row, 0)
		}
		if added && namesNothing(r) {
			c.waiting = append(c.waiting, waiting{r.Path, int32(n)})
		}
		if key := c.key(r); key != 0 && !c.owned[int32(n)] {
			c.own(key, int32(n))
		}
		c.row[n] = uint32(i + 1)
	}
}

// key identifies the instance and the counter of a reading for ever. It is 0 where the path
// is all that is known of it.
func (c *columns) key(r *winperf.Reading) uint64 {
	if r.Key == "" {
		return 0
	}
	c.path = append(append(c.path[:0], r.Key...), 0)
	c.path = append(append(append(append(c.path, r.Path.Machine...), 0), r.Path.Object...), 0)
	c.path = append(c.path, r.Path.Counter...)
	return max(1, maphash.Bytes(c.seed, c.path))
}

// own notes that a column is an instance's for ever.
func (c *columns) own(key uint64, column int32) { c.owners[key], c.owned[column] = column, true }

// text returns the text of a path, valid until the next call.
func (c *columns) text(p winperf.Path) []byte {
	c.path, _ = p.AppendText(c.path[:0])
	return c.path
}

// len is the number of columns.
func (c *columns) len() int { return c.paths.Len() - len(c.aliases) }

// place notes in row which reading goes to which column.
func (c *columns) place(readings winperf.Readings) {
	clear(c.row)
	if more := readings.Len() - len(c.ids); more > 0 {
		c.grow(more)
	}

	for i := range readings.Len() {
		r := readings.At(i)
		if !c.same(i, r) {
			c.find(i, r)
		}

		column := c.to[i]
		if column == noColumn {
			continue
		}
		changes := c.byName && c.changes(column, c.keys[i])
		if changes && r.Type.Samples() == 2 && !r.Anomalies.Has(winperf.InstanceBegan) {
			continue
		}
		c.row[column] = uint32(i + 1)
	}
}

// grow makes room for so many more readings.
func (c *columns) grow(more int) {
	c.ids = append(c.ids, make([]winperf.SeriesID, more)...)
	c.to = append(c.to, make([]int32, more)...)
	if c.byName {
		c.names = append(c.names, make([]instanceName, more)...)
		c.keys = append(c.keys, make([]uint64, more)...)
	}
}

// same reports whether a reading is of the series that was last at its position. Where columns
// belong to names, the series must still have its name.
func (c *columns) same(i int, r *winperf.Reading) bool {
	if r.ID != c.ids[i] || r.ID == (winperf.SeriesID{}) {
		return false
	}
	return !c.byName || c.names[i] == instanceName{r.Path.Instance, r.Path.Index}
}

// find finds the column of the reading at a position.
func (c *columns) find(i int, r *winperf.Reading) {
	c.ids[i] = r.ID
	if !c.byName {
		c.to[i] = c.of(r)
		return
	}
	c.names[i], c.keys[i] = instanceName{r.Path.Instance, r.Path.Index}, c.key(r)
	c.to[i] = c.named(r)
}

// changes notes the instance that a column has now, and reports whether it had another one before.
func (c *columns) changes(column int32, key uint64) bool {
	before := c.holder[column]
	if key != 0 {
		c.holder[column] = key
	}
	return key != 0 && before != 0 && before != key
}

// of returns the column of a reading. One that is known by a key has the column of that
// key, whatever its path has become, or one that no instance owns; else the path tells. Series
// that have none are counted by a hash: a long log sees many, and they need not be kept.
func (c *columns) of(r *winperf.Reading) int32 {
	key := c.key(r)
	if column, known := c.owners[key]; known && key != 0 {
		return column
	}

	column := c.named(r)
	if key == 0 || column == noColumn {
		return column
	}

	if c.owned[column] { // by another instance, which had the name before
		c.addLate(key, r)
		return noColumn
	}
	c.own(key, column)
	return column
}

// named returns the column of a reading by its path.
func (c *columns) named(r *winperf.Reading) int32 {
	path := c.text(r.Path)
	if n := c.paths.Find(path); n >= c.len() {
		return c.aliases[n-c.len()]
	} else if n >= 0 {
		return int32(n)
	}

	if namesNothing(r) {
		return noColumn // says that a series went, not that one came
	}

	for _, w := range c.waiting {
		if w.is(r.Path) {
			c.aliases = append(c.aliases, w.column)
			c.paths.Add(path)
			return w.column
		}
	}
	c.addLate(maphash.Bytes(c.seed, path), r)
	return noColumn
}

// addLate counts a series that has no column.
func (c *columns) addLate(hash uint64, r *winperf.Reading) {
	before := len(c.late)
	c.late[hash] = struct{}{}
	if len(c.late) > before && len(c.missing) < maxMissing {
		c.missing = append(c.missing, r.Path.String())
	}
}

// namesNothing reports whether the reading stands for a path that named nothing.
func namesNothing(r *winperf.Reading) bool {
	switch r.Status {
	case counter.NoInstance, counter.NoCounter, counter.NoObject:
		return true
	}
	return false
}

// is reports whether p is what the column waits for.
func (w *waiting) is(p winperf.Path) bool {
	if w.path.Machine == "" {
		p.Machine = ""
	}
	return w.path.EqualFold(p)
}
