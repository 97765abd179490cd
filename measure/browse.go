package measure

import (
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Browse describes what the last sample holds: objects, counters, instances and
// clocks. It may be called from any goroutine; it fails with an error that wraps
// winperf.ErrState while a round is under way and before the first sample. What
// it returns stays valid. A source that cooks its readings itself has nothing
// to browse.
func (c *Measurement) Browse() (*Catalogue, error) {
	if _, err := c.gate.enter(opBrowse); err != nil {
		return nil, err
	}
	f, names, err := c.hold()
	if err != nil {
		return nil, err
	}
	defer f.Release()
	return newCatalogue(f, names, c.opt.Source), nil
}

// hold retains the frame of the last sample.
func (c *Measurement) hold() (frame.Frame, *nametable.Names, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.prev.IsZero() {
		return frame.Frame{}, nil, fmt.Errorf("%v of a measurement that has no sample: %w",
			opBrowse, winperf.ErrState)
	}
	return c.prev, c.plan.names, c.prev.Retain()
}
