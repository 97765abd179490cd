package record

import (
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
)

// TestRecordSyncDue checks that a sample waits for the disk no longer than --sync
// says: that another one follows before that time is over.
func TestRecordSyncDue(t *testing.T) {
	for _, c := range []struct{ every, sync, since time.Duration }{
		{time.Second, 10 * time.Second, 9 * time.Second},
		{time.Second, time.Second, time.Second},
		{5 * time.Second, 2 * time.Second, 5 * time.Second},
		{3 * time.Second, 10 * time.Second, 7 * time.Second},
	} {
		synced := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
		r := recorder{every: input.Interval(c.every), sync: input.Interval(c.sync), synced: synced}
		due := synced.Add(c.since + time.Millisecond) // a sample is never taken to the nanosecond
		if before := due.Add(-c.every); c.since > c.every && r.syncDue(before) {
			t.Errorf("%v, --sync %v: synced after %v already", c.every, c.sync, before.Sub(synced))
		}
		if !r.syncDue(due) {
			t.Errorf("%v, --sync %v: not synced after %v", c.every, c.sync, due.Sub(synced))
		}
		if r.sync = 0; r.syncDue(due) {
			t.Error("synced without --sync")
		}
	}
}
