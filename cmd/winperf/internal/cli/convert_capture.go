package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
)

// captureWriter writes a capture.
type captureWriter struct {
	w     *capture.Writer
	paths bool // only the objects that paths name

	chosen []chosenPart // of the sample before
}

func (w *captureWriter) Close() error { return w.w.Close() }

func (w *captureWriter) write(m *moment) error {
	for _, cycle := range m.cycles {
		sample := cycle.Sample
		if w.paths {
			var err error
			if sample, err = w.choose(cycle); err != nil {
				return err
			}
		}
		if err := w.w.Write(sample); err != nil {
			return err
		}
	}
	return nil
}

// choose makes a sample of the objects that the cycle's readings are of, and of
// those that hold their instances' parents.
func (w *captureWriter) choose(cycle *measure.Cycle) (*winperf.Sample, error) {
	wanted := map[uint32]bool{}
	for i := range cycle.Len() {
		wanted[cycle.At(i).ObjectID.Index] = true
	}

	chosen := &winperf.Sample{Schema: cycle.Sample.Schema}
	for i, part := range cycle.Sample.Parts {
		if i == len(w.chosen) {
			w.chosen = append(w.chosen, chosenPart{})
		}
		if part.Block != nil {
			if err := w.chosen[i].choose(part.Block, wanted); err != nil {
				return nil, err
			}
			part.Block = w.chosen[i].block
		}
		chosen.Parts = append(chosen.Parts, part)
	}
	return chosen, nil
}

// chosenPart is what was chosen of a part of the sample. A part that is unchanged stays
// so: its block is the same one.
type chosenPart struct {
	from   *winperf.Block  // held, so that its memory is no other block's meanwhile
	asked  map[uint32]bool // the objects that were wanted,
	wanted map[uint32]bool // and those with the parents of their instances
	block  *winperf.Block
}

// choose chooses the wanted objects of a block. It adds the parents' to them.
func (c *chosenPart) choose(from *winperf.Block, wanted map[uint32]bool) error {
	if from == c.from && maps.Equal(wanted, c.asked) {
		maps.Copy(wanted, c.wanted)
		return nil
	}

	asked := maps.Clone(wanted)
	raw, err := chooseObjects(&from.Raw, wanted)
	if err != nil {
		return err
	}

	from.Retain()
	if c.from != nil {
		_ = c.from.Release() // our own hold
	}
	*c = chosenPart{from: from, asked: asked, wanted: maps.Clone(wanted), block: raw.Block()}
	return nil
}

// chooseObjects returns a block of the wanted objects, and of their parents'.
func chooseObjects(raw *winperf.Raw, wanted map[uint32]bool) (chosen winperf.Raw, err error) {
	if raw.Format != winperf.FormatV1 {
		return chosen, fmt.Errorf("objects of a sample of format %d cannot be chosen: %w",
			raw.Format, winperf.ErrNotSupported)
	}

	block, err := perfdata.Parse(raw.Bytes, perfdata.Options{Quirks: raw.Quirks})
	if err != nil {
		return chosen, err
	}

	for _, o := range block.Objects {
		for i := 0; wanted[o.Title] && i < len(o.Instances); i++ {
			wanted[o.Instances[i].ParentObject] = true
		}
	}

	unwanted := func(o perfdata.Object) bool { return o.Raw == nil && !wanted[o.Title] }
	block.Objects = slices.DeleteFunc(block.Objects, unwanted)
	chosen = *raw
	chosen.Bytes, err = block.AppendTo(nil)
	return chosen, err
}
