package logs

import (
	"maps"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
)

// objects reduces samples to selected objects.
type objects struct {
	parts []chosenPart // of the previous sample
}

// choose returns a sample with the objects of the cycle's readings, and the objects of their
// instances' parents.
func (o *objects) choose(cycle *measure.Cycle) (*winperf.Sample, error) {
	selected := map[uint32]bool{}
	for _, c := range cycle.Columns() {
		selected[c.Counter().ObjectID.Index] = true
	}

	chosen := &winperf.Sample{Schema: cycle.Sample.Schema}
	for i, part := range cycle.Sample.Parts {
		if i == len(o.parts) {
			o.parts = append(o.parts, chosenPart{})
		}
		if part.Block != nil {
			if err := o.parts[i].choose(part.Block, selected); err != nil {
				return nil, err
			}
			part.Block = o.parts[i].block
		}
		chosen.Parts = append(chosen.Parts, part)
	}
	return chosen, nil
}

// chosenPart is a reduced part of a sample. It keeps its block while the part is unchanged.
type chosenPart struct {
	from      uint64          // the number of the original block
	requested map[uint32]bool // the selected objects
	selected  map[uint32]bool // the selected objects with their parents
	block     *winperf.Block
}

// choose reduces a block to the selected objects, and adds the parents' objects to selected.
func (c *chosenPart) choose(from *winperf.Block, selected map[uint32]bool) error {
	if from.Number() == c.from && maps.Equal(selected, c.requested) {
		maps.Copy(selected, c.selected)
		return nil
	}

	requested, raw := maps.Clone(selected), from.Raw
	var err error
	raw.Bytes, err = edit(&from.Raw, func(block *perfdata.Block) { chooseObjects(block, selected) })
	if err != nil {
		return err
	}

	*c = chosenPart{
		from: from.Number(), requested: requested, selected: maps.Clone(selected), block: raw.Block(),
	}
	return nil
}

func chooseObjects(block *perfdata.Block, selected map[uint32]bool) {
	for _, o := range block.Objects {
		for i := 0; selected[o.Title] && i < len(o.Instances); i++ {
			selected[o.Instances[i].ParentObject] = true
		}
	}
	unwanted := func(o perfdata.Object) bool { return o.Raw == nil && !selected[o.Title] }
	block.Objects = slices.DeleteFunc(block.Objects, unwanted)
}
