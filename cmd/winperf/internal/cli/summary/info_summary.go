package summary

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/measure"
)

// logSummary is the information about a log. Unknown fields are absent. Its JSON form is a public format:
// fields may only be added.
type logSummary struct {
	File     string   `json:"file"`
	Format   string   `json:"format,omitempty"`
	Size     int64    `json:"size,omitempty"` // bytes
	Encoding string   `json:"encoding,omitempty"`
	Machines []string `json:"machines"`
	System   string   `json:"system,omitempty"` // system that wrote it
	Zone     string   `json:"zone,omitempty"`   // as written in the log
	// OffsetMinutes is local time minus UTC at the first sample.
	OffsetMinutes *int            `json:"utc_offset_minutes"`
	Raw           bool            `json:"raw"` // it has raw values
	First         *time.Time      `json:"first"`
	Last          *time.Time      `json:"last"`
	Samples       int             `json:"samples"`
	Interval      float64         `json:"interval_seconds,omitempty"` // usual interval
	Gaps          []gap           `json:"gaps"`                       // the first gaps
	GapCount      int             `json:"gap_count"`
	Objects       []objectSummary `json:"objects"`
	Damage        int             `json:"damage_count"`
	Findings      []string        `json:"damage"` // the first findings

	zone      output.ShownZone
	offset    bool // the offset of the zone is known
	intervals intervals
	objects   map[string]*objectSummary
}

type objectSummary struct {
	Name      string `json:"name"`
	Counters  int    `json:"counters"`
	Instances *int   `json:"instances"` // largest number at one time; null without instances
}

const maxShown = 20

func newSummary(log *logs.Log, zone output.ShownZone) *logSummary {
	is := log.Source.Describe()
	s := &logSummary{
		File: log.Name, Format: is.Log.Format, Encoding: is.Log.Encoding,
		System: is.Log.System, Zone: is.Log.Zone, Raw: !is.Cooked || is.Log.Raw,
		Machines: []string{}, Gaps: []gap{}, Objects: []objectSummary{}, Findings: []string{},
		zone:    zone,
		offset:  is.Log.Location != nil,
		objects: map[string]*objectSummary{},
	}
	if s.Raw {
		s.addMachine(is.Machine)
	}
	return s
}

func (s *logSummary) addMachine(name string) {
	const most = 1000
	if name != "" && len(s.Machines) < most && !slices.Contains(s.Machines, name) {
		s.Machines = append(s.Machines, name)
	}
}

func (s *logSummary) addNames(ctx context.Context, src winperf.Source) {
	m := measure.New(src, winperf.Selection{Global: true, NamesOnly: true}, measure.Options{FramesOnly: true})
	defer m.Close()
	cycle, err := m.Cycle(ctx)
	if err != nil {
		return
	}

	for v := range cycle.Frame.Values() {
		for _, one := range v.AllSeries() {
			s.addMachine(one.Path.Machine)
		}
		for _, o := range catalogue.SeriesObjects(v.AllSeries()) {
			s.addObject(o.Name, len(o.Counters), o.Multi, o.Len())
		}
	}
}

func (s *logSummary) add(cycle *measure.Cycle) {
	s.Samples++
	t := cycle.Time
	if s.First == nil || t.Before(*s.First) {
		s.First = &t
	}
	if s.Last == nil || t.After(*s.Last) {
		s.Last = &t
	}

	s.intervals.add(t)
	machine := cycle.Frame.Machine()
	s.addMachine(machine)
	for o := range cycle.Frame.Objects() {
		if o.Machine() != machine {
			machine = o.Machine()
			s.addMachine(machine)
		}

		name := cycle.Names.Title(o.ID().Index)
		s.addObject(name, len(catalogue.ShownCounters(o)), !o.Single(), o.Len())
	}
}

func (s *logSummary) addObject(name string, counters int, multi bool, instances int) {
	sum := s.objects[name]
	if sum == nil {
		sum = &objectSummary{Name: name}
		s.objects[name] = sum
	}

	sum.Counters = max(sum.Counters, counters)
	if multi && (sum.Instances == nil || instances > *sum.Instances) {
		sum.Instances = &instances
	}
}

func (s *logSummary) addDamage(errs []error) {
	for _, err := range console.Costly(errs) {
		for _, line := range console.ErrorLines(err) {
			if s.Damage++; len(s.Findings) < maxShown {
				s.Findings = append(s.Findings, line)
			}
		}
	}
}

func (s *logSummary) finish() {
	s.intervals.settle()
	s.Interval = s.intervals.usual.Seconds()
	s.Gaps, s.GapCount = append(s.Gaps, s.intervals.gaps...), s.intervals.count
	for _, o := range s.objects {
		s.Objects = append(s.Objects, *o)
	}

	sorted.Func(s.Objects, func(a, b objectSummary) int { return cmp.Compare(a.Name, b.Name) })
	if !s.offset || s.First == nil {
		return
	}

	_, offset := s.First.In(s.zone.Location).Zone()
	minutes := offset / 60
	s.OffsetMinutes = &minutes
}

func (s *logSummary) title() string { return s.File }

func (s *logSummary) rows() [][]string {
	rows := [][]string{}
	add := func(label string, lines ...string) {
		if len(lines) > 0 && lines[0] != "" {
			rows = append(rows, append([]string{label}, lines...))
		}
	}

	kind := "displayable values"
	if s.Raw {
		kind = "raw values"
	}

	add("format", strings.TrimPrefix(s.Format+", "+kind, ", "))
	if s.Size > 0 {
		add("size", fmt.Sprintf("%d bytes", s.Size))
	}

	add("encoding", s.Encoding)
	add("machine", strings.Join(s.Machines, ", "))
	add("system", s.System)
	add("zone", s.zoneText())

	if s.First != nil {
		add("first", s.zone.Text(*s.First))
		add("last", fmt.Sprintf("%s (%v later)", s.zone.Text(*s.Last), s.Last.Sub(*s.First)))
	}

	samples := fmt.Sprint(s.Samples)
	if s.intervals.usual > 0 {
		samples += fmt.Sprintf(", mostly %v apart", s.intervals.usual)
	}

	add("samples", samples)
	add("gaps", s.gapLines()...)
	add("objects", objectLines(s.Objects)...)
	add("damage", addMore(s.Findings, s.Damage)...)
	return rows
}

func (s *logSummary) zoneText() string {
	switch {
	case s.OffsetMinutes != nil:
		minutes, sign := *s.OffsetMinutes, '+'
		if minutes < 0 {
			minutes, sign = -minutes, '-'
		}
		return strings.TrimSpace(fmt.Sprintf("%s (UTC%c%02d:%02d)", s.Zone, sign, minutes/60, minutes%60))
	case s.Raw && s.Zone == "":
		return "not named; times are shown in UTC"
	case s.Raw:
		return s.Zone + "; times are shown in UTC"
	case s.Zone == "":
		return "not named; times are read as UTC"
	}
	return fmt.Sprintf("%q, without its offset; times are read as UTC", s.Zone)
}

func (s *logSummary) gapLines() []string {
	var lines []string
	for _, g := range s.Gaps {
		length := time.Duration(g.Seconds * float64(time.Second)).Round(time.Millisecond)
		lines = append(lines, fmt.Sprintf("%v after %s", length, s.zone.Text(g.After)))
	}
	return addMore(lines, s.GapCount)
}

func objectLines(objects []objectSummary) []string {
	var lines []string
	for _, o := range objects {
		line := o.Name + ": " + console.Plural(o.Counters, "counter")
		if o.Instances != nil {
			line += ", " + console.Plural(*o.Instances, "instance")
		}
		lines = append(lines, line)
	}
	return lines
}

func addMore(lines []string, all int) []string {
	if all > len(lines) {
		lines = append(slices.Clone(lines), fmt.Sprintf("and %d more", all-len(lines)))
	}
	return lines
}
