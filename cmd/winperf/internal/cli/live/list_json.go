package live

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
)

// The JSON form of a line of list -o jsonl. It is a public format: fields may only be added.
type (
	listLine struct {
		Object    listObject  `json:"object"`
		Counter   listCounter `json:"counter"`
		Instances []string    `json:"instances"` // as in paths; empty for a single-instance object
		// LostParents are the instances whose parent is missing, so that their names are incomplete.
		LostParents []string `json:"lost_parents,omitempty"`
	}
	listObject struct {
		Index     uint32        `json:"index"`
		GUID      *winperf.GUID `json:"guid"`
		Name      string        `json:"name"`
		Help      string        `json:"help"`
		Costly    bool          `json:"costly"`
		Multi     bool          `json:"multi"` // it has instances
		Interface string        `json:"interface"`
		Machine   string        `json:"machine,omitempty"` // only if there are several
	}
	listCounter struct {
		Index  uint32        `json:"index"`
		Name   string        `json:"name"`
		Help   string        `json:"help"`
		Type   *counter.Type `json:"type"` // null if unknown
		Scale  int32         `json:"scale"`
		Unit   counter.Unit  `json:"unit"`
		Detail uint32        `json:"detail"`
	}
)

func (l *lister) writeJSON(objects []finding) error {
	enc := output.NewJSON(l.w)
	for _, o := range objects {
		line := listLine{Object: l.jsonObject(o), Instances: []string{}}
		for in := range o.shown() {
			name := in.String()
			line.Instances = append(line.Instances, name)
			if l.lostParent(in) != "" {
				line.LostParents = append(line.LostParents, name)
			}
		}

		for _, c := range o.Counters {
			line.Counter = jsonCounter(c)
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lister) jsonObject(o finding) listObject {
	obj := listObject{
		Index:     o.ID.Index,
		Name:      o.Name,
		Help:      o.Help,
		Costly:    l.costly(o),
		Multi:     o.Multi,
		Interface: l.schema.InterfaceOf(o.ID.Index),
		Machine:   l.machine(o),
	}

	if !o.ID.GUID.IsZero() {
		obj.GUID = &o.ID.GUID
	}
	return obj
}

func jsonCounter(c catalogue.KnownCounter) listCounter {
	line := listCounter{Name: c.Name, Help: c.Help, Unit: counter.NoUnit}
	if d := c.Of; d != nil {
		line.Index, line.Scale, line.Detail = d.ID.Index, d.Scale, d.Detail
		line.Type, line.Unit = &d.Type, d.Type.Unit()
	}
	return line
}
