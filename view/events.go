package view

import (
	"context"
	"slices"
	"sort"
	"time"

	"github.com/winperf/winperf"
)

// Events are unusual facts about samples, and instances that appeared or ended.
type Events struct {
	Events []Event `json:"events"`
	// More is the number of further events.
	More int `json:"more"`
	// Complete is false if only some samples of a large log were read.
	Complete bool `json:"complete"`
}

// Event is one of Events.
type Event struct {
	Time     time.Time           `json:"time"`
	Kind     winperf.AnomalyKind `json:"kind"`
	Object   string              `json:"object"`
	Instance string              `json:"instance"`
	Text     string              `json:"text"`
}

// note adds the events of an anomaly, one for each instance. It omits what concerns only the program that
// reads, such as the names in the next file of a recording, and the beginning of instances, which are new
// at the same time. The survey is locked.
func (v *survey) note(a winperf.Anomaly) {
	namesRead := a.Kind == winperf.SchemaChanged && a.ObjectName == ""
	if namesRead || a.Kind == winperf.BufferGrew || a.Kind == winperf.InstanceBegan {
		return
	}
	e := Event{Time: shownTime(a.Time), Kind: a.Kind, Object: a.ObjectName, Text: a.Detail}
	if a.Err != nil {
		e.Text = a.Err.Error()
	}

	names := a.Instances
	if len(names) == 0 {
		names = []string{""}
	}

	for _, name := range names {
		size := len(name) + len(e.Text)
		if len(v.events) >= maxKept || v.eventText+size > maxEventText {
			v.dropped++
			continue
		}
		v.eventText += size
		e.Instance = name
		v.events = append(v.events, e)
		if a.Kind == winperf.InstancesRenamed {
			e.Text = "" // it is about the first instance
		}
	}
}

// Events returns the events in the requested time. Of a large log they may be of some samples only.
func (v *View) Events(ctx context.Context, r Request) (*Events, error) {
	q, sur, err := v.withSurvey(ctx, r)
	if err != nil {
		return nil, err
	}

	sur.mu.Lock()
	defer sur.mu.Unlock()
	from := sort.Search(len(sur.events), func(i int) bool { return sur.events[i].Time.UnixMilli() >= q.begin })
	to := sort.Search(len(sur.events), func(i int) bool { return sur.events[i].Time.UnixMilli() > q.end })
	events := slices.Clone(sur.events[from:max(from, to)])
	if q.live != nil {
		events = slices.DeleteFunc(events, q.live.caused)
	}
	answer := &Events{
		Events: events[:min(len(events), MaxEvents)], More: max(len(events)-MaxEvents, 0), Complete: sur.exact,
	}
	if to == len(sur.events) {
		answer.More += sur.dropped
	}
	if answer.Events == nil {
		answer.Events = []Event{}
	}
	return answer, nil
}
