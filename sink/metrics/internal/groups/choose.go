package groups

import (
	"cmp"
	"slices"
	"strings"
)

// candidate returns the state of a name.
func (s *State) candidate(name string) *candidate {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	c := s.names[name]
	if c == nil {
		name = strings.Clone(name) // it may be part of a larger text
		c = &candidate{name: name, group: s.groups[0]}
		s.names[name] = c
	}
	return c
}

func (s *State) addGroup(c *candidate) {
	if c.name == Other || c.group != s.groups[0] {
		return
	}
	c.group = &Group{Name: c.name}
	s.groups = append(s.groups, c.group)
}

// choose makes groups of the names with the most processor time. The new groups count from the next
// sample on.
func (s *State) choose() {
	if s.fixed {
		return
	}
	ranked := s.ranked[:0]
	for _, c := range s.names {
		ranked = append(ranked, c)
	}
	s.ranked = ranked
	slices.SortFunc(ranked, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(b.older, a.older), cmp.Compare(a.name, b.name))
	})

	for _, c := range ranked[:min(most, len(ranked))] {
		if n := len(s.groups) - 1; n < most || n < limit && c.time >= leastTime {
			s.addGroup(c)
		}
	}
	s.forget(ranked)
}

// forget forgets the names with the least processor time above the limit.
func (s *State) forget(ranked []*candidate) {
	if len(s.names) <= maxNames+len(s.groups) {
		return
	}
	for _, c := range ranked[maxNames/2:] {
		if c.group == s.groups[0] {
			delete(s.names, c.name)
		}
	}
}
