package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/winperf/winperf"
)

const (
	positionsName = "readers"
	// earlierName is the file of an earlier version, with the position of the only reader.
	earlierName = "position.json"
)

// maxNumber limits the numbers of items, so that a next one always exists.
const maxNumber = 1 << 63

// positions are the positions of the readers, the content of the file "readers".
type positions struct {
	// Readers has for each reader the number up to which it has acknowledged all items.
	Readers map[string]uint64 `json:"readers"`
	// Dropped is Stats.DroppedBefore; in the file it includes later drops.
	Dropped uint64 `json:"dropped"`
	last    uint64 // position of the last reader that was removed
}

// least returns the lowest position, 0 without readers.
func (p *positions) least() uint64 {
	least, any := ^uint64(0), false
	for _, n := range p.Readers {
		least, any = min(least, n), true
	}
	if !any {
		return 0
	}
	return least
}

// most returns the highest position.
func (p *positions) most() (most uint64) {
	for _, n := range p.Readers {
		most = max(most, n)
	}
	return most
}

// readPositions reads the positions. If the file is damaged, as after a power failure,
// readers begin with the oldest item: they get some twice, and lose none.
func (q *Queue[T]) readPositions() error {
	before, err := q.positionsBefore()
	if errors.Is(err, winperf.ErrBadData) {
		q.report(fmt.Errorf("%w; samples may be sent again", err))
		before, err = positions{}, nil
	}
	if err != nil {
		return err
	}

	q.positions = positions{Readers: map[string]uint64{}, Dropped: before.Dropped}
	for _, name := range q.opt.Readers {
		q.positions.Readers[name] = before.Readers[name]
	}

	// The number of a lost item that was acknowledged must not be reused.
	q.last = max(q.last, q.positions.most())
	return nil
}

func (q *Queue[T]) positionsBefore() (p positions, err error) {
	text, err := q.files.ReadFile(positionsName)
	if errors.Is(err, fs.ErrNotExist) {
		return q.earlierPosition()
	}
	if err != nil {
		return p, err
	}

	err = json.Unmarshal(text, &p)
	if err == nil && p.most() >= maxNumber {
		err = fmt.Errorf("there is no item %d", p.most())
	}
	if err != nil {
		return p, badPosition(positionsName, err)
	}
	return p, nil
}

// earlierPosition reads the file of an earlier version: the number of a file, and of a
// sample in it, from 1.
func (q *Queue[T]) earlierPosition() (p positions, err error) {
	text, err := q.files.ReadFile(earlierName)
	if q.format.shift == 0 || errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	q.earlier = true

	var at struct {
		Segment uint64 `json:"segment"`
		Sample  int    `json:"sample"`
	}
	err = json.Unmarshal(text, &at)
	shift := q.format.shift
	if err == nil && (at.Sample < 0 || at.Sample > 1<<shift || at.Segment >= maxNumber>>shift) {
		err = fmt.Errorf("there is no sample %d of file %d", at.Sample, at.Segment)
	}
	if err != nil {
		return p, badPosition(earlierName, err)
	}

	number := at.Segment<<shift + uint64(at.Sample)
	p.Readers = map[string]uint64{}
	for _, name := range q.opt.Readers {
		p.Readers[name] = max(number, 1) - 1
	}
	return p, nil
}

func badPosition(name string, err error) error {
	return fmt.Errorf("%s contains no positions: %w: %w", name, winperf.ErrBadData, err)
}

// save writes the positions of the readers. It reports an error once.
func (q *Queue[T]) save() error {
	err := q.writePositions()
	if err != nil {
		err = fmt.Errorf("samples may be sent again after a restart: %w", err)
	}
	if err != nil && !q.unsaved {
		q.report(err)
	}
	q.unsaved = err != nil
	return err
}

// writePositions replaces the file atomically.
func (q *Queue[T]) writePositions() error {
	if q.files == nil {
		return nil
	}
	p := positions{Readers: q.positions.Readers, Dropped: q.positions.Dropped + q.dropped}
	text, err := json.Marshal(p)
	if err == nil {
		err = q.files.Replace(positionsName, append(text, '\n'), q.opt.Sync < 0)
	}

	if err == nil && q.earlier {
		_ = q.files.Remove(earlierName) // it is no longer read
		q.earlier = false
	}
	return err
}
