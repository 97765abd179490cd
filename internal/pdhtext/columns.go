package pdhtext

import (
	"hash/maphash"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/textset"
)

// noColumn marks a series without a column.
const noColumn = -1

// columns are the columns of a log and their values in the current sample. There may be a
// million, so a column takes some 45 bytes besides its path.
type columns struct {
	paths   textset.Set // of the columns, in order, then of aliases
	aliases []int32     // columns of the aliases
	waiting []waiting
	owners  map[uint64]int32    // column by the key of an instance and its counter
	owned   map[int32]bool      // columns that are in owners
	late    map[uint64]struct{} // hashes of paths
	missing []string            // the first maxMissing paths in late
	seed    maphash.Seed        // of the hashes
	path    []byte              // of one value
	series  winperf.Series      // of one value

	// The current value, by column.
	kinds []counter.Kind // KindNone if missing
	bits  []uint64
	texts map[int32]string

	// By position in the previous sample: the series and its column. Values seldom change
	// their order, so comparing two identities replaces the search for a path. A log of one
	// sample has none.
	ids []winperf.SeriesID
	to  []int32

	byName bool
	names  []instanceName // by position, as ids
	keys   []uint64       // by position: hash of key and counter, 0 = no key
	holder []uint64       // by column: the last of its keys
}

type instanceName struct {
	text  string
	index int
}

// maxMissing limits the paths kept for a message.
const maxMissing = 3

// waiting is a column whose path had no instance when the log began.
type waiting struct {
	path   winperf.Path
	column int32
}

// newColumns makes columns for the given paths or else for the values of a sample, and
// places these.
func newColumns(named []string, byName bool, values []winperf.Column) *columns {
	c := &columns{
		byName: byName && named != nil, texts: map[int32]string{},
		owners: map[uint64]int32{}, owned: map[int32]bool{},
		late: map[uint64]struct{}{}, seed: maphash.MakeSeed(),
	}
	if named == nil {
		c.add(values)
		return c
	}
	c.name(named)
	c.place(values)
	return c
}

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
	c.kinds, c.bits = make([]counter.Kind, c.paths.Len()), make([]uint64, c.paths.Len())
}

func (c *columns) add(values []winperf.Column) {
	size, count := 0, 0
	c.each(values, func(_ *winperf.Column, _ int) {
		size += len(c.text(c.series.Path))
		count++
	})

	c.paths.Grow(count, size)
	c.kinds, c.bits = make([]counter.Kind, 0, count), make([]uint64, 0, count)

	c.each(values, func(of *winperf.Column, n int) {
		s := &c.series
		at, added := c.paths.Add(c.text(s.Path))
		column := int32(at)
		if added {
			c.kinds, c.bits = append(c.kinds, counter.KindNone), append(c.bits, 0)
		}
		if added && of.Status[n].NamesNothing() {
			c.waiting = append(c.waiting, waiting{s.Path, column})
		}
		if key := c.key(s); key != 0 && !c.owned[column] {
			c.own(key, column)
		}
		c.put(column, of, n)
	})
}

func (c *columns) each(values []winperf.Column, do func(of *winperf.Column, n int)) {
	for i := range values {
		of := &values[i]
		for n := range of.Len() {
			of.Describe(&c.series, n)
			do(of, n)
		}
	}
}

// put sets the value of a column. The last value of a sample is kept.
func (c *columns) put(column int32, of *winperf.Column, n int) {
	c.kinds[column], c.bits[column] = of.KindOf(n), of.Bits[n]
	switch {
	case of.Status[n] != counter.OK:
		c.kinds[column] = counter.KindNone
	case of.KindOf(n) == counter.KindText:
		c.texts[column], _ = of.Value(n).AsText()
	}
}

// key identifies the instance and the counter of a series permanently. It is 0 if only the
// path is known.
func (c *columns) key(s *winperf.Series) uint64 {
	if s.Key == "" {
		return 0
	}
	c.path = append(append(c.path[:0], s.Key...), 0)
	c.path = append(append(append(append(c.path, s.Path.Machine...), 0), s.Path.Object...), 0)
	c.path = append(c.path, s.Path.Counter...)
	return max(1, maphash.Bytes(c.seed, c.path))
}

// own assigns a column to an instance permanently.
func (c *columns) own(key uint64, column int32) { c.owners[key], c.owned[column] = column, true }

// text returns the text of a path, valid until the next call.
func (c *columns) text(p winperf.Path) []byte {
	c.path, _ = p.AppendText(c.path[:0])
	return c.path
}

func (c *columns) len() int { return c.paths.Len() - len(c.aliases) }

func (c *columns) place(values []winperf.Column) {
	clear(c.kinds)
	clear(c.texts)
	count := 0
	for i := range values {
		count += values[i].Len()
	}
	if more := count - len(c.ids); more > 0 {
		c.grow(more)
	}

	at := 0
	for i := range values {
		c.placeColumn(&values[i], at)
		at += values[i].Len()
	}
}

// placeColumn is place for values that begin at a position of the sample.
func (c *columns) placeColumn(of *winperf.Column, at int) {
	rate := of.Counter().Type.Samples() == 2
	for n := range of.Len() {
		i, id := at+n, of.ID(n)
		if c.byName || id != c.ids[i] || id == (winperf.SeriesID{}) {
			c.find(i, of, n)
		}

		column := c.to[i]
		if column == noColumn {
			continue
		}
		changes := i < len(c.keys) && c.changes(column, c.keys[i])
		if changes && rate && !of.Anomalies(n).Has(winperf.InstanceBegan) {
			continue
		}
		c.put(column, of, n)
	}
}

func (c *columns) grow(more int) {
	c.ids = append(c.ids, make([]winperf.SeriesID, more)...)
	c.to = append(c.to, make([]int32, more)...)
	if c.byName {
		c.names = append(c.names, make([]instanceName, more)...)
	}
}

// find finds the column of a value whose series differs from the previous one at its
// position. If columns belong to names, the series may also have been renamed.
func (c *columns) find(i int, of *winperf.Column, n int) {
	s, status := &c.series, of.Status[n]
	of.Describe(s, n)
	name := instanceName{s.Path.Instance, s.Path.Index}
	if c.byName && s.ID == c.ids[i] && s.ID != (winperf.SeriesID{}) && c.names[i] == name {
		return
	}

	c.ids[i] = s.ID
	if !c.byName {
		c.to[i] = c.of(s, status)
		return
	}
	c.names[i] = name
	if key := c.key(s); key != 0 || i < len(c.keys) {
		c.setKey(i, key)
	}
	c.to[i] = c.named(s, status)
}

// setKey registers the key of the value at a position. Most logs have none.
func (c *columns) setKey(i int, key uint64) {
	if c.holder == nil {
		c.holder = make([]uint64, c.paths.Len())
	}
	if more := len(c.ids) - len(c.keys); more > 0 {
		c.keys = append(c.keys, make([]uint64, more)...)
	}
	c.keys[i] = key
}

// changes registers the current instance of a column, and reports whether it had another
// one.
func (c *columns) changes(column int32, key uint64) bool {
	before := c.holder[column]
	if key != 0 {
		c.holder[column] = key
	}
	return key != 0 && before != 0 && before != key
}

// of returns the column of a series: by its key if it has one, else by its path. Series
// without a column are counted by a hash, because a long log has many.
func (c *columns) of(s *winperf.Series, status counter.Status) int32 {
	key := c.key(s)
	if column, known := c.owners[key]; known && key != 0 {
		return column
	}

	column := c.named(s, status)
	if key == 0 || column == noColumn {
		return column
	}

	if c.owned[column] { // by an earlier instance of this name
		c.addLate(key, s)
		return noColumn
	}
	c.own(key, column)
	return column
}

func (c *columns) named(s *winperf.Series, status counter.Status) int32 {
	path := c.text(s.Path)
	if n := c.paths.Find(path); n >= c.len() {
		return c.aliases[n-c.len()]
	} else if n >= 0 {
		return int32(n)
	}

	if status.NamesNothing() {
		return noColumn // the status means that the series ended, not that it began
	}

	for _, w := range c.waiting {
		if w.is(s.Path) {
			c.aliases = append(c.aliases, w.column)
			c.paths.Add(path)
			return w.column
		}
	}
	c.addLate(maphash.Bytes(c.seed, path), s)
	return noColumn
}

func (c *columns) addLate(hash uint64, s *winperf.Series) {
	before := len(c.late)
	c.late[hash] = struct{}{}
	if len(c.late) > before && len(c.missing) < maxMissing {
		c.missing = append(c.missing, s.Path.String())
	}
}

func (w *waiting) is(p winperf.Path) bool {
	if w.path.Machine == "" {
		p.Machine = ""
	}
	return w.path.EqualFold(p)
}
