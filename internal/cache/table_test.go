package cache

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

// TestRules plays each rule of the cache. A step is one of
//
//	+TIME                   time passes
//	set TIME                somebody sets the time of day by that much
//	insert OBJECT ENTITY    the entity brings a new sample of the object
//	find OBJECT ENTITY WHAT where WHAT is hit, or the reason of the miss
//	join OBJECT ENTITY      the entity had waited for the sample that was inserted last
//	gone ENTITY             the entity ends; its name is another one's from here on
func TestRules(t *testing.T) {
	tests := []struct{ rule, script string }{
		{"what nobody brought is not there", "find 2 a absent"},
		{"a miss of an absent object bans nobody", "find 2 a absent, insert 2 b, find 2 a hit"},
		{"what one brought another one gets", "insert 2 a, find 2 b hit"},
		{"who brought it is banned", "insert 2 a, find 2 a banned"},
		{"a hit bans", "insert 2 a, find 2 b hit, find 2 b banned"},
		{"a ban is of one entity", "insert 2 a, find 2 b hit, find 2 c hit"},
		{"a ban is of one object", "insert 2 a, insert 4 c, find 2 b hit, find 4 b hit, find 4 a hit"},
		{"a new sample ends the bans of all", "insert 2 a, find 2 b hit, find 2 c hit, insert 2 a, find 2 b hit, find 2 c hit"},
		{"and bans who brought it", "insert 2 a, insert 2 b, find 2 b banned, find 2 a hit"},
		{"a new sample of one object ends no ban from another", "insert 2 a, insert 4 a, insert 2 b, find 4 a banned"},
		{"just fresh: exactly 500 ms", "insert 2 a, +500ms, find 2 b hit"},
		{"beyond it is old", "insert 2 a, +500ms, +1ns, find 2 b stale"},
		{"a miss for age bans nobody", "insert 2 a, +1s, find 2 b stale, find 2 b stale, insert 2 a, find 2 b hit"},
		{"age counts from the last sample", "insert 2 a, +400ms, insert 2 a, +400ms, find 2 b hit"},
		{"of each object by itself", "insert 2 a, +400ms, insert 4 a, +200ms, find 2 b stale, find 4 b hit"},
		{"the ban goes before the age", "insert 2 a, +1s, find 2 a banned"},
		{"a ban outlasts the age", "insert 2 a, find 2 b hit, +1h, find 2 b banned"},
		{"who waited for a sample has it", "insert 2 a, join 2 b, find 2 b banned, insert 2 a, find 2 b hit"},
		{"bans end with their entity, and identities are not used again", "insert 2 a, gone a, find 2 a hit"},
		{"at most one item an object: the older one is not found any more", "insert 2 a, insert 2 a, find 2 b hit, find 2 b banned"},
		{"a time of day that is set makes nothing old", "insert 2 a, set 1h, find 2 b hit"},
		{"nor does it keep anything fresh", "insert 2 a, +400ms, set -1h, +200ms, find 2 b stale"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) { newPlay(t).run(tt.script) })
	}
}

// play is a table under test.
type play struct {
	*testing.T
	clock  *clock
	table  table
	bans   map[string]map[winperf.ObjectID]*ban // by entity
	newest map[winperf.ObjectID]*sample
}

func newPlay(t *testing.T) *play {
	c := newClock()
	return &play{
		T: t, clock: c, table: newTable(Options{Freshness: defaultFreshness, Clock: c}),
		bans: map[string]map[winperf.ObjectID]*ban{}, newest: map[winperf.ObjectID]*sample{},
	}
}

// ban is an entity's of an object.
func (p *play) ban(entity string, id winperf.ObjectID) *ban {
	if p.bans[entity] == nil {
		p.bans[entity] = map[winperf.ObjectID]*ban{}
	}
	if p.bans[entity][id] == nil {
		p.bans[entity][id] = new(ban)
	}
	return p.bans[entity][id]
}

func (p *play) run(script string) {
	for step := range strings.SplitSeq(script, ", ") {
		if d, ok := strings.CutPrefix(step, "+"); ok {
			p.clock.advance(p.duration(d))
			continue
		}
		word := strings.Fields(step)
		switch word[0] {
		case "gone":
			delete(p.bans, word[1])
			continue
		case "set":
			p.clock.set(p.duration(word[1]))
			continue
		}
		var id winperf.ObjectID
		if _, err := fmt.Sscan(word[1], &id.Index); err != nil {
			p.Fatal(err)
		}
		b := p.ban(word[2], id)
		switch word[0] {
		case "insert":
			p.insert(id, b)
		case "join":
			b.set(p.newest[id])
		case "find":
			if got := p.find(id, b); got != word[3] {
				p.Errorf("%s: got %s", step, got)
			}
		default:
			p.Fatalf("step %q", step)
		}
	}
}

func (p *play) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		p.Fatal(err)
	}
	return d
}

func (p *play) insert(id winperf.ObjectID, b *ban) {
	s := &sample{began: p.table.step(), ended: p.table.step(), at: p.clock.Elapsed()}
	it := p.table.item(id)
	if p.table.insert(it, s); it.sample != s {
		p.Errorf("insert %d: it is not the newest", id.Index)
	}
	b.set(s)
	p.newest[id] = s
}

// find returns its result by the counts, which must be those of one find.
func (p *play) find(id winperf.ObjectID, b *ban) string {
	it, banned := p.table.item(id), *b
	before := it.counts
	s := p.table.find(it, b, need{}, p.clock.Elapsed(), time.Time{})
	if s != nil {
		before.Hits++
		if s != p.newest[id] || it.counts != before {
			p.Errorf("hit of %d: counts %+v", id.Index, it.counts)
		}
		return "hit"
	}
	if *b != banned {
		p.Errorf("a miss of %d changed something", id.Index)
	}
	before.Misses++
	for reason, n := range map[string]*uint64{"absent": new(uint64), "banned": &before.Banned, "stale": &before.Stale} {
		*n++
		if it.counts == before {
			return reason
		}
		*n--
	}
	return "miscounted"
}

// A freshness of its own.
func TestFreshness(t *testing.T) {
	p := newPlay(t)
	p.table.freshness = 2 * time.Second
	p.run("insert 2 a, +2s, find 2 b hit, +1ns, find 2 c stale")
	p.table.freshness = -1
	p.run("insert 2 a, find 2 b stale")
}

// Objects that nobody refreshes any more are dropped after a while; those that
// somebody does are not, however old the others are.
func TestSweep(t *testing.T) {
	p := newPlay(t)
	samples := func() (n int) {
		for _, it := range p.table.items {
			if it.sample != nil {
				n++
			}
		}
		return n
	}
	p.run("insert 2 a")
	p.table.sweep()
	p.run("+40s, insert 4 a, +30s")
	if p.table.sweep(); samples() != 1 {
		t.Errorf("%d samples of 2 are kept, want 1", samples())
	}
	delete(p.newest, winperf.ObjectID{Index: 2})
	p.run("find 2 b absent, find 4 b stale, insert 2 b, find 2 a hit")
	if p.table.sweep(); samples() != 2 {
		t.Errorf("%d samples of 2 are kept, want both", samples())
	}
}

// A sample that was under way while the newest one was taken may be the older
// one: it does not take its place, and who has it is not given the other.
func TestOverlap(t *testing.T) {
	const now = time.Second
	tb := newTable(Options{Freshness: time.Hour})
	it := tb.item(winperf.ObjectID{Index: 2})
	slow, quick := &sample{began: tb.step()}, &sample{began: tb.step()}
	quick.ended, quick.at = tb.step(), now
	tb.insert(it, quick)
	slow.ended, slow.at = tb.step(), now
	var has, other ban
	has.set(slow)
	if tb.insert(it, slow); it.sample != quick || it.counts.Refreshes != 1 {
		t.Errorf("the slow sample took the place: %+v", it)
	}
	if tb.find(it, &has, need{}, now, time.Time{}) != nil || tb.find(it, &other, need{}, now, time.Time{}) != quick {
		t.Error("the quick sample is for all but who has the slow one")
	}
	next := &sample{began: tb.step(), ended: tb.step(), at: now}
	if tb.insert(it, next); it.sample != next || tb.find(it, &has, need{}, now, time.Time{}) != next || tb.find(it, &other, need{}, now, time.Time{}) != next {
		t.Error("a sample that began later is newer than both")
	}
}
