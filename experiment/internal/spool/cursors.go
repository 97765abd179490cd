package spool

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/winperf/winperf/internal/queuedir"
)

// readersName is the name of the file with the cursors.
const readersName = "readers"

// cursors are how far the readers are, as they stand in the file "readers".
type cursors struct {
	// Readers has for each reader the number up to which it has forgotten all entries.
	Readers map[string]uint64 `json:"readers"`
	// Dropped is State.Dropped.
	Dropped uint64 `json:"dropped"`
	damage  string
	last    uint64 // how far the reader was that was the last one of all
}

// load reads the file. One that cannot be read, as the end of the system may leave it,
// makes the readers begin with the oldest entry: they get some twice, and lose none.
func (c *cursors) load(dir *queuedir.Dir, readers []string) error {
	text, err := dir.ReadFile(readersName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var before cursors
	if err == nil {
		if err := json.Unmarshal(text, &before); err != nil {
			c.damage = "how far the readers were is not known: " + err.Error()
			before = cursors{}
		}
	}

	c.Dropped = before.Dropped
	c.Readers = make(map[string]uint64, len(readers))
	for _, name := range readers {
		c.Readers[name] = before.Readers[name]
	}
	return nil
}

// save replaces the file.
func (c *cursors) save(dir *queuedir.Dir, sync bool) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return dir.Replace(readersName, append(text, '\n'), sync)
}

// least is how far the last of the readers is, 0 where there is none.
func (c *cursors) least() uint64 {
	least, any := ^uint64(0), false
	for _, n := range c.Readers {
		least, any = min(least, n), true
	}
	if !any {
		return 0
	}
	return least
}

// most is how far the first of the readers is.
func (c *cursors) most() (most uint64) {
	for _, n := range c.Readers {
		most = max(most, n)
	}
	return most
}

// add adds a reader that begins at the end, or as the only one with what is there, and
// returns where.
func (c *cursors) add(name string, end uint64) uint64 {
	if len(c.Readers) == 0 {
		end = c.last
	}
	c.Readers[name] = end
	return end
}

// remove removes a reader.
func (c *cursors) remove(name string) {
	if len(c.Readers) == 1 {
		c.last = c.Readers[name]
	}
	delete(c.Readers, name)
}
