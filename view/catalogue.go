package view

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/sorted"
)

// Sources are the sources of a View.
type Sources struct {
	Sources []SourceInfo `json:"sources"`
}

// SourceInfo describes a source.
type SourceInfo struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Live     bool       `json:"live"`
	Grows    bool       `json:"grows"`
	Host     string     `json:"host"`
	Format   string     `json:"format"`
	System   string     `json:"system"`
	Raw      bool       `json:"raw"`
	Zone     string     `json:"zone"`
	Offsets  [][2]int64 `json:"offsets"`
	Begin    *time.Time `json:"begin"`
	End      *time.Time `json:"end"`
	Samples  int        `json:"samples"`
	Interval float64    `json:"interval"`
	Done     int64      `json:"done"`
	Of       int64      `json:"of"`
	Damage   []string   `json:"damage"`
	Since    *time.Time `json:"since"`
}

// Sources describes the sources.
func (v *View) Sources(ctx context.Context) (*Sources, error) {
	answer := &Sources{Sources: []SourceInfo{}}
	for _, s := range v.all() {
		if s.live != nil {
			s.live.need()
		}
		sur, err := s.look(ctx, s.patience())
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		info := s.describe(sur)
		if err != nil {
			info.Damage = append(info.Damage, err.Error())
		}
		answer.Sources = append(answer.Sources, info)
	}
	return answer, nil
}

func (s *shown) describe(v *survey) SourceInfo {
	is := s.src.Describe()
	info := SourceInfo{
		ID: s.id, Name: s.name, Live: s.live != nil, Grows: s.grows, Host: is.Machine, Format: is.Log.Format,
		System: is.Log.System, Raw: !is.Cooked && !is.Log.Raw, Zone: is.Log.Zone, Damage: []string{},
		Offsets: [][2]int64{}, Interval: s.step.Seconds(),
	}
	begin, end := s.first, is.Log.End
	if s.grows { // and loses its oldest samples
		begin = is.Log.Begin
	}
	if limit := s.limitBegin; !begin.IsZero() && begin.Before(limit) {
		begin = limit
	}
	if v != nil {
		begin, end = info.read(v, begin, end)
		if is.Samples > info.Samples && s.limitBegin.IsZero() && s.limitEnd.IsZero() {
			info.Samples = is.Samples
		}
	}
	if s.live != nil {
		info.Since = s.live.to.since()
	}
	if s.isCanceled() && info.Done < info.Of {
		info.Done, info.Damage = info.Of, append(info.Damage, canceledText)
	}
	if limit := s.limitEnd; !limit.IsZero() && end.After(limit) {
		end = limit
	}

	if !begin.IsZero() {
		begin = shownTime(begin)
		info.Begin = &begin
	}
	if !end.IsZero() {
		end = shownTime(end)
		info.End = &end
	}
	zone := is.Log.Location
	if zone == nil {
		zone = time.UTC
	}
	if info.Zone == "" && is.Log.Location != nil {
		info.Zone = zone.String()
		if zone == time.Local {
			info.Zone, _ = time.Now().Zone()
		}
	}
	info.Offsets = offsets(zone, begin, end)
	return info
}

// read takes the facts of a survey, and returns the first and last time.
func (i *SourceInfo) read(v *survey, begin, end time.Time) (time.Time, time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i.Damage = append(i.Damage, v.damage...)
	i.Done, i.Of = v.progress()

	v.table.mu.RLock()
	defer v.table.mu.RUnlock()
	i.Samples = v.table.samples

	if v.exact {
		if step := v.table.interval(); step > 0 {
			i.Interval = float64(step) / 1000
		}
		if n := len(v.table.times); n > 0 && begin.IsZero() {
			begin = timeOf(v.table.times[0])
		}
	} else if !end.IsZero() {
		i.Done = i.Of // the other samples only add detail
	}
	if v.latest.After(end) {
		end = v.latest
	}
	return begin, end
}

// offsets returns the offsets of a zone from UTC in seconds between two times, each from a time on.
func offsets(zone *time.Location, begin, end time.Time) [][2]int64 {
	const most = 100
	_, offset := begin.In(zone).Zone()
	all := [][2]int64{{0, int64(offset)}}
	for t := begin; len(all) < most; {
		_, next := t.In(zone).ZoneBounds()
		if next.IsZero() || next.After(end) {
			break
		}
		_, offset := next.Zone()
		all = append(all, [2]int64{next.UnixMilli(), int64(offset)})
		t = next
	}
	return all
}

// Objects are the objects of a source.
type Objects struct {
	Objects []Object `json:"objects"`
}

// Object describes an object and its counters.
type Object struct {
	Name      string        `json:"name"`
	Index     uint32        `json:"index"`
	GUID      *winperf.GUID `json:"guid"`
	Help      string        `json:"help"`
	Costly    bool          `json:"costly"`
	Instances *int          `json:"instances"` // in the last sample; nil for an object without instances
	Counters  []Counter     `json:"counters"`
}

// Counter describes a counter.
type Counter struct {
	Name  string        `json:"name"`
	Index uint32        `json:"index"`
	Help  string        `json:"help"`
	Type  *counter.Type `json:"type"` // nil if unknown
	Unit  counter.Unit  `json:"unit"`
}

// Objects returns the objects and counters of a source, sorted by name.
func (v *View) Objects(ctx context.Context, r Request) (*Objects, error) {
	q, sur, err := v.withSurvey(ctx, r)
	if err != nil {
		return nil, err
	}
	schema, _ := q.src.Schema(ctx)

	sur.mu.Lock()
	defer sur.mu.Unlock()
	sur.table.mu.RLock()
	defer sur.table.mu.RUnlock()
	return &Objects{Objects: sur.objects(schema)}, nil
}

// withSurvey returns the query of a request without paths, and the first picture of its source.
func (v *View) withSurvey(ctx context.Context, r Request) (q query, sur *survey, err error) {
	if q, err = v.query(r, false); err != nil {
		return q, nil, err
	}
	sur, err = q.firstLook(ctx)
	return q, sur, err
}

// firstLook waits for the first picture of the source.
func (q *query) firstLook(ctx context.Context) (*survey, error) {
	if q.live != nil {
		if err := q.live.to.wait(ctx, time.Time{}); err != nil {
			return nil, err
		}
		for { // until the survey has it
			sur, err := q.look(ctx, time.Minute)
			if err != nil {
				return nil, err
			}
			sur.mu.Lock()
			empty := sur.first.IsZero()
			sur.mu.Unlock()
			if !empty || !sleep(ctx, 10*time.Millisecond) {
				return sur, ctx.Err()
			}
		}
	}

	for { // a log without an index may be long
		sur, err := q.look(ctx, patience)
		if err != nil || sur.isPicture() {
			return sur, err
		}
	}
}

// isPicture reports whether the survey has values, or all of them.
func (v *survey) isPicture() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.first.IsZero() || v.isReady()
}

func (v *survey) isReady() bool {
	select {
	case <-v.ready:
		return true
	default:
		return false
	}
}

// objects returns the objects of the survey. The survey and its table are locked.
func (v *survey) objects(schema *winperf.Schema) []Object {
	type place struct {
		*Object
		counters  map[string]bool
		instances map[string]bool
	}
	all := map[string]*place{}
	for _, r := range v.table.rows {
		s := r.series
		key := strings.ToLower(s.Path.Object)
		o := all[key]
		if o == nil {
			named := &Object{Name: s.Path.Object, Index: s.ObjectID.Index}
			o = &place{named, map[string]bool{}, map[string]bool{}}
			o.Help = v.helpOf(v.help[s.ObjectID])
			if !s.ObjectID.GUID.IsZero() {
				id := s.ObjectID.GUID
				o.GUID = &id
			}
			o.Costly = schema != nil && slices.Contains(schema.Costly, o.Index)
			all[key] = o
		}

		if !o.counters[s.Path.Counter] {
			o.counters[s.Path.Counter] = true
			c := Counter{Name: s.Path.Counter, Index: s.CounterID.Index, Unit: s.Unit}
			if v.help != nil && s.Type != 0 || s.CounterID.Index != 0 {
				kind := s.Type
				c.Type, c.Help = &kind, v.helpOf(c.Index+1)
			}
			o.Counters = append(o.Counters, c)
		}
		if s.Path.HasInstance {
			if o.Instances == nil {
				o.Instances = new(int)
			}
			if name := nameOfInstance(s); r.latest == v.latest.UnixMilli() && !o.instances[name] {
				o.instances[name] = true
				*o.Instances++
			}
		}
	}

	objects := []Object{}
	for _, o := range all {
		objects = append(objects, *o.Object)
	}
	sorted.Func(objects, func(a, b Object) int {
		return cmp.Or(
			strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name),
		)
	})
	return objects
}

func (v *survey) helpOf(index uint32) string {
	if v.names == nil || index == 0 {
		return ""
	}
	return v.names.Help(index)
}

func nameOfInstance(s *winperf.Series) string {
	return s.Path.Machine + "\x00" + s.Path.InstanceText() + "\x00" + s.Key
}

// Instances are the instances of an object.
type Instances struct {
	Instances []Instance `json:"instances"`
}

// Instance describes an instance. PID and Start are of a process or thread.
type Instance struct {
	Name   string     `json:"name"`
	Parent *string    `json:"parent"`
	PID    *uint32    `json:"pid"`
	Start  *time.Time `json:"start"`
	First  time.Time  `json:"first"`
	Last   time.Time  `json:"last"`
}

// Instances returns the instances of an object that existed in the requested time, in the order of their
// appearance.
func (v *View) Instances(ctx context.Context, r Request, object string) (*Instances, error) {
	q, sur, err := v.withSurvey(ctx, r)
	if err != nil {
		return nil, err
	}

	answer := &Instances{Instances: []Instance{}}
	at := map[string]int{}
	sur.table.mu.RLock()
	defer sur.table.mu.RUnlock()
	for _, r := range sur.table.rows {
		s := r.series
		if !s.Path.HasInstance || !strings.EqualFold(s.Path.Object, object) ||
			r.latest < q.begin || r.first > q.end {
			continue
		}
		name := nameOfInstance(s)
		i, known := at[name]
		if !known {
			i = len(answer.Instances)
			at[name] = i
			answer.Instances = append(answer.Instances, instanceOf(r))
		}
		in := &answer.Instances[i]
		if first := timeOf(r.first); first.Before(in.First) {
			in.First = first
		}
		if last := timeOf(r.latest); last.After(in.Last) {
			in.Last = last
		}
	}
	sorted.Func(answer.Instances, func(a, b Instance) int { return a.First.Compare(b.First) })
	return answer, nil
}

func instanceOf(r *row) Instance {
	s := r.series
	in := Instance{Name: s.Path.InstanceText(), PID: pidOf(s.Key)}
	in.First, in.Last = timeOf(r.first), timeOf(r.latest)
	if s.Parent != "" {
		in.Parent = &s.Parent
	}
	_, began, _ := strings.Cut(s.Key, "@")
	if start, ok := parseFiletime(began); ok {
		in.Start = &start
	}
	return in
}

// parseFiletime returns the time of a FILETIME in decimal digits, except for times that RFC 3339 lacks.
func parseFiletime(text string) (time.Time, bool) {
	const last = 2650467743999999999 // the end of the year 9999
	n := int64(0)
	for _, c := range []byte(text) {
		if c < '0' || c > '9' || n > last/10 {
			return time.Time{}, false
		}
		n = n*10 + int64(c-'0')
	}
	return winperf.FromFiletime(n), n > 0 && n <= last
}
