package live

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// The shape of a line of list -o jsonl. Others rely on it; fields may be added.
type (
	listLine struct {
		Object    listObject  `json:"object"`
		Counter   listCounter `json:"counter"`
		Instances []string    `json:"instances"` // as in paths; empty for a single-instance object
		// LostParents are the instances whose parent is not there, so that their
		// names lack it.
		LostParents []string `json:"lost_parents,omitempty"`
	}
	listObject struct {
		Index     uint32        `json:"index"`
		GUID      *winperf.GUID `json:"guid"`
		Name      string        `json:"name"`
		Help      string        `json:"help"`
		Costly    bool          `json:"costly"`
		Multi     bool          `json:"multi"` // has instances
		Interface string        `json:"interface"`
		Machine   string        `json:"machine,omitempty"` // where there are several
	}
	listCounter struct {
		Index  uint32        `json:"index"`
		Name   string        `json:"name"`
		Help   string        `json:"help"`
		Type   *counter.Type `json:"type"` // null where the source does not tell
		Scale  int32         `json:"scale"`
		Unit   counter.Unit  `json:"unit"`
		Detail uint32        `json:"detail"`
	}
)

func (l *lister) writeJSON(objects []finding) error {
	enc := output.NewJSON(l.w)
	for _, o := range objects {
		line := listLine{Object: l.jsonObject(o.Object), Instances: []string{}}
		for i, name := range o.named() {
			line.Instances = append(line.Instances, name)
			if l.lostParent(o.Instance(i)) != "" {
				line.LostParents = append(line.LostParents, name)
			}
		}

		for _, k := range o.counters {
			c := o.Counter(k)
			line.Counter = listCounter{
				Index:  c.ID.Index,
				Name:   l.table.Title(c.ID.Index),
				Help:   l.table.Help(c.Help),
				Type:   &c.Type,
				Scale:  c.Scale,
				Unit:   c.Type.Unit(),
				Detail: c.Detail,
			}

			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lister) jsonObject(o frame.Object) listObject {
	id := o.ID()
	obj := listObject{
		Index:     id.Index,
		Name:      l.name(o),
		Help:      l.table.Help(o.Help()),
		Costly:    l.costly(o),
		Multi:     !o.Single(),
		Interface: l.schema.InterfaceOf(id.Index),
		Machine:   l.machine(o),
	}

	if !id.GUID.IsZero() {
		obj.GUID = &id.GUID
	}
	return obj
}
