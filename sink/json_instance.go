package sink

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/safetext"
)

// jsonInstances caches the JSON texts of instances by position, because the columns of an object
// mostly have the same instances.
type jsonInstances struct {
	kept   []jsonInstance
	series winperf.Series // of the current value
	few    bool           // the column has at most mostKept instances
}

// mostKept is the limit of cached instances, about 300 bytes each. Larger columns are not cached.
const mostKept = 4096

// jsonInstance has the JSON texts of an instance and the values they were made from.
type jsonInstance struct {
	path     []byte // the instance in the path
	names    []byte // the fields "parent" and "instance"
	identity []byte // the fields of the key

	made        bool
	of          winperf.Path
	parent, key string
	spelled     []byte
	text        []byte
}

func (j *jsonInstances) begin(c *winperf.Column) {
	j.series = *c.Counter()
	j.few = c.Len() <= mostKept
	want := c.Len()
	if !j.few {
		j.kept, want = nil, 1
	}
	if more := want - len(j.kept); more > 0 {
		j.kept = append(j.kept, make([]jsonInstance, more)...)
	}
}

// at returns the texts for the n-th value of a column, valid until the next call.
func (j *jsonInstances) at(c *winperf.Column, n int) *jsonInstance {
	s := &j.series
	c.Names.Describe(s, c.From+n)
	in := &j.kept[0]
	if j.few {
		in = &j.kept[n]
	}

	of := winperf.Path{Instance: s.Path.Instance, Index: s.Path.Index, HasInstance: s.Path.HasInstance}
	if !in.made || in.of != of || in.parent != s.Parent || in.key != s.Key {
		in.made, in.of, in.parent, in.key = true, of, s.Parent, s.Key
		in.make()
	}
	return in
}

func (in *jsonInstance) make() {
	text := in.text[:0]
	names, identity := 0, 0
	if in.of.HasInstance {
		in.spelled = appendInstance(in.spelled[:0], &in.of)
		whole := label(in.spelled)
		text = appendJSON(text, whole)
		names = len(text)

		if in.parent != "" {
			text = safetext.AppendJSON(append(text, `,"parent":`...), in.parent)
			whole = whole[len(in.parent)+len(`/`):]
		}
		text = safetext.AppendJSON(append(text, `,"instance":`...), whole)
		identity = len(text)
	}
	text = appendIdentity(text, in.key)

	in.text = text
	in.path, in.names, in.identity = text[:names], text[names:identity], text[identity:]
}
