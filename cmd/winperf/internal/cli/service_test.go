package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/internal/winapi"
)

// eventList keeps what a service tells the system's log.
type eventList []string

func (l *eventList) add(kind winapi.EventKind, text string) error {
	*l = append(*l, fmt.Sprint(kind, " ", text))
	return nil
}

func TestServiceRun(t *testing.T) {
	for _, c := range []struct {
		args  []string
		fails bool
		want  eventList
	}{
		{[]string{"version"}, false, eventList{"0 " + versionLine()}},
		{[]string{"get"}, true, eventList{
			`1 winperf: no path given; for example '\Memory\Available MBytes' (winperf list shows what there is)`,
			"2 winperf get ended with status 1",
		}},
	} {
		var got eventList
		readied := 0
		err := serviceRun(c.args, got.add)(t.Context(), func() { readied++ }, nil)
		if (err != nil) != c.fails || readied != 1 {
			t.Errorf("%v: error %v, %d times ready", c.args, err, readied)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: told (-want +got):\n%s", c.args, diff)
		}
	}
}

func TestEventLines(t *testing.T) {
	var got eventList
	l := &eventLines{log: got.add, kind: winapi.EventWarning}
	long := strings.Repeat("x", maxEvent+10)
	for _, part := range []string{"one\r\ntw", "o\n\n", long, "\nend"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("wrote %d of %d, error %v", n, len(part), err)
		}
	}
	if err := l.flush(); err != nil {
		t.Error(err)
	}
	want := eventList{"1 one", "1 two", "1 " + long[:maxEvent], "1 " + long[maxEvent:], "1 end"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}
