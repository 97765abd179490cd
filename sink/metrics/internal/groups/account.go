package groups

import "cmp"

// key identifies a process; the system reuses ids.
type key struct{ id, started uint64 }

// member is a process between two samples.
type member struct {
	key
	in     *candidate
	sample uint64 // the latest sample that has it
	at     int    // position in this sample
	parent uint64 // in this sample
	before uint64 // parent in the previous sample

	own, waited Amounts
	unknown     uint8   // bit c: the amounts at position c are not known yet
	grown       Amounts // of own, since the previous sample
	credit      Amounts // of waited, since the previous sample; settle reduces it
}

// claim is amounts of an ended process that samples had. They are also in the credit of the process that
// waited for it: an ancestor of from, a process of the previous sample.
type claim struct {
	from uint64 // id
	rest Amounts
	age  int // in samples
}

// maxAge is the age of a claim at which no process is expected to wait any more. An ended process may be
// missing in a sample that has read its parent before the parent waited.
const maxAge = 2

// update updates the state of a process, or adds it. A process that began since the previous sample has
// grown from 0. An older one was not visible then; it counts from now on. update returns nil for a second
// process with the same identity.
func (s *State) update(p *Process, elapsed uint64) *member {
	k := key{p.ID, p.Started}
	m := s.processes[k]
	if m == nil {
		m = &member{key: k}
		s.processes[k] = m
		const margin = 10_000_000
		if s.samples == 1 || p.Age > elapsed+margin {
			m.unknown = allCounters
		}
	}
	if m.sample == s.samples {
		return nil
	}

	m.in = s.candidate(p.Name)
	m.before, m.parent = m.parent, cmp.Or(p.Parent, m.parent)
	m.sample = s.samples
	if s.samples == 1 {
		m.in.older += p.Own[Time]
	}
	m.advance(p)
	return m
}

const allCounters = 1<<NumCounters - 1

func (m *member) advance(p *Process) {
	m.grown, m.credit = Amounts{}, Amounts{}
	for c := range m.own {
		if p.Lacks>>c&1 != 0 {
			continue
		}
		if m.unknown>>c&1 == 0 {
			m.grown[c] = growth(Counter(c), m.own[c], p.Own[c])
			m.credit[c] = p.Waited[c] - min(p.Waited[c], m.waited[c])
		}
		m.own[c], m.waited[c] = p.Own[c], p.Waited[c]
	}
	m.unknown &= p.Lacks
}

// growth returns the increase of a counter; 0 if it decreased.
func growth(c Counter, last, now uint64) uint64 {
	if c != Faults && c != MajorFaults {
		return now - min(now, last)
	}
	if d := uint32(now) - uint32(last); d < 1<<31 {
		return uint64(d)
	}
	return 0
}

// settle subtracts the amounts that were counted for ended processes from the credit of the processes
// that waited for them.
func (s *State) settle() {
	for _, m := range s.before {
		if m.sample == s.samples {
			continue
		}
		delete(s.processes, m.key)
		c := claim{from: m.parent}
		for i := range c.rest {
			c.rest[i] = m.own[i] + m.waited[i]
		}
		s.claims = append(s.claims, c)
	}

	open := s.claims[:0]
	for _, c := range s.claims {
		nearest := s.climb(&c)
		if first := s.byID[1]; first != nil {
			first.pay(&c)
		}
		if c.age++; c.rest != (Amounts{}) && nearest != nil && c.age <= maxAge {
			c.from = nearest.id
			open = append(open, c)
		}
	}
	s.claims = open
}

// climb subtracts a claim from the ancestors that still exist. It returns the nearest one, or nil.
func (s *State) climb(c *claim) (nearest *member) {
	const maxDepth = 256 // damaged samples may have cycles
	id := c.from
	for range maxDepth {
		m := s.byIDBefore[id]
		switch {
		case m == nil:
			return nearest
		case m.sample != s.samples: // ended, too
			id = m.parent
			continue
		case nearest == nil:
			nearest = m
		}
		m.pay(c)
		id = m.before
	}
	return nearest
}

// pay subtracts as much of a claim as possible from the credit.
func (m *member) pay(c *claim) {
	for i := range c.rest {
		n := min(m.credit[i], c.rest[i])
		m.credit[i] -= n
		c.rest[i] -= n
	}
}

// count adds the growth of a process, and of children that no sample had, to its group.
func (m *member) count(lacks uint8) {
	m.in.group.Has |= ^lacks & allCounters // the process may leave the group before Add ends
	m.in.time += m.grown[Time] + m.credit[Time]
	for c := range m.grown {
		m.in.group.Total[c] += m.grown[c] + m.credit[c]
	}
}
