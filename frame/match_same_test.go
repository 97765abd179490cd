package frame_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// Instances with the same names in the same places match as they do where they
// are searched for: where a frame was decoded on its own, it shares no names with
// the one before.
func TestMatchSame(t *testing.T) {
	const head = "object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n"
	for _, names := range [][]string{
		{"a", "b", "_Total"},
		{"a", "b", "a", "c", "b", "a"},
		{"a", "A", "b", "a", "B"},
		{"_Total", "a", "_Total"},
	} {
		var older, newer strings.Builder
		for i, name := range names {
			fmt.Fprintf(&older, " instance %q : %d\n", name, 10+i)
			fmt.Fprintf(&newer, " instance %q : %d\n", name, 10+i-2*(i%5/4)) // one fell
		}
		var pool frame.Pool
		prev := take(t, &pool, block(t, head+older.String()), frame.Frame{})
		var got [2][]string
		for i, before := range []frame.Frame{{}, prev} {
			cur := take(t, &pool, block(t, head+newer.String()), before)
			var ck frame.Cooker
			must(t, ck.Set(prev, cur, counter.Options{}))
			got[i] = matches(ck.Object(cur.Object(0)))
		}
		if diff := cmp.Diff(got[0], got[1]); diff != "" {
			t.Errorf("%q: searched for - in place +\n%s", names, diff)
		}
	}
}
