package metrics

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/sink/metrics/internal/groups"
)

// GroupBy selects the groups of processes.
type GroupBy uint8

// The ways to group processes.
const (
	ByNone         GroupBy = iota // no groups
	ByName                        // a group for each name of processes, or the groups of Grouping.Groups
	ByUser                        // a group for each user that owns processes, on Linux
	ByControlGroup                // a group for each control group, on Linux
)

var groupByWords = [...]string{
	ByNone: "none", ByName: "name", ByUser: "user", ByControlGroup: "control_group",
}

// String returns "none", "name", "user" or "control_group", or "unknown" for another value.
func (b GroupBy) String() string {
	if int(b) < len(groupByWords) {
		return groupByWords[b]
	}
	return "unknown"
}

// UnmarshalText sets b to the value of a word that [GroupBy.String] returns. For other words the error
// suggests a similar word, if one exists.
func (b *GroupBy) UnmarshalText(text []byte) error {
	if i := slices.Index(groupByWords[:], string(text)); i >= 0 {
		*b = GroupBy(i)
		return nil
	}
	err := fmt.Errorf("unknown process groups %q, expected name, user, control_group or none", text)
	if near := suggest.Closest(string(text), slices.Values(groupByWords[:])); near != "" {
		err = fmt.Errorf("%w (did you mean %s?)", err, near)
	}
	return err
}

// Grouping selects the groups of processes, whose metrics begin with winperf_process_group_. They are
// made of the object Process, which Options.Select need not select. Their counters keep the amounts of
// processes that have ended, and count from the first mapped sample.
//
// The 50 names, users or control groups with the most processor time have a group. A group stays once it
// exists; there are at most 64. Other processes are in the group "other".
type Grouping struct {
	By GroupBy `yaml:"by"`
	// Groups, with ByName, replace the groups for names. A process is in the first one that matches its
	// name, or else in "other".
	Groups []ProcessGroup `yaml:"groups"`
}

// ProcessGroup is a group of processes whose names match one of Processes, patterns such as "nginx*".
type ProcessGroup struct {
	Name      string   `yaml:"name,required"`
	Processes []string `yaml:"processes,required"`
}

// maxGroups is the largest number of configured groups.
const maxGroups = 200

// Check returns the first error.
func (g *Grouping) Check() error {
	switch by := g.By; {
	case int(by) >= len(groupByWords):
		return errors.New("unknown process groups")
	case by != ByName && len(g.Groups) > 0:
		return errors.New("a list of groups needs by: name")
	case len(g.Groups) > maxGroups:
		return fmt.Errorf("%d groups, expected at most %d", len(g.Groups), maxGroups)
	}

	known := map[string]bool{groups.Other: true}
	for _, p := range g.Groups {
		switch {
		case p.Name == "":
			return errors.New("a group needs a name")
		case known[p.Name] && p.Name == groups.Other:
			return fmt.Errorf("the group %q has the processes without a group, use another name", p.Name)
		case known[p.Name]:
			return fmt.Errorf("the group %q is there twice", p.Name)
		case len(p.Processes) == 0:
			return fmt.Errorf("the group %q has no processes", p.Name)
		}
		known[p.Name] = true
	}
	return nil
}

// same reports whether two groupings give the same groups.
func (g *Grouping) same(o *Grouping) bool {
	return g.By == o.By && slices.EqualFunc(g.Groups, o.Groups, func(a, b ProcessGroup) bool {
		return a.Name == b.Name && slices.Equal(a.Processes, b.Processes)
	})
}

// Paths returns paths of the counters that the groups need; nil for ByNone.
func (g *Grouping) Paths() (paths []winperf.Path) {
	if g.By == ByNone {
		return nil
	}
	for i := range processCounters {
		name := processCounters[i].name
		if name == "" || i == processUser && g.By != ByUser {
			continue
		}
		path := winperf.Path{Object: "Process", Instance: "*", HasInstance: true, Counter: name}
		paths = append(paths, path)
	}
	return paths
}

// groupNamer returns the name of the group of a process with a name.
type groupNamer func(process string, r *rawProcess) string

// namer returns the groupNamer. userName is Options.UserName.
func (g *Grouping) namer(userName func(id uint64) string) groupNamer {
	switch {
	case g.By == ByUser:
		return byUser(userName)
	case len(g.Groups) > 0:
		return g.matcher()
	}
	return func(process string, _ *rawProcess) string { return process }
}

func (g *Grouping) matcher() groupNamer {
	var all [][]winperf.Pattern
	for _, p := range g.Groups {
		var patterns []winperf.Pattern
		for _, text := range p.Processes {
			patterns = append(patterns, winperf.CompilePattern(text))
		}
		all = append(all, patterns)
	}

	return func(process string, _ *rawProcess) string {
		for i, patterns := range all {
			if slices.ContainsFunc(patterns, func(p winperf.Pattern) bool { return p.Match(process) }) {
				return g.Groups[i].Name
			}
		}
		return groups.Other
	}
}

// byUser names a group after the owner of the process, or after the user id if the owner has no name.
func byUser(userName func(id uint64) string) groupNamer {
	return func(_ string, r *rawProcess) string {
		if !r.has(processUser) {
			return groups.Other
		}
		id := r.values[processUser]
		if userName != nil {
			if name := userName(id); name != "" {
				return name
			}
		}
		return strconv.FormatUint(id, 10)
	}
}
