package view_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/view"
)

// TestChangedWith: with another source, all of it is the rest, and counters are matched by path without the
// machine.
func TestChangedWith(t *testing.T) {
	dir := t.TempDir()
	quiet := func(second int) string {
		text, _, _ := strings.Cut(block(second), "object 230")
		return text
	}
	busy := func(second int) string {
		return strings.Replace(quiet(second), "HOST", "OTHER", 1)
	}
	of := func(switches int) func(int) string {
		return func(second int) string {
			before := fmt.Sprintf("values : %d\n", 5000+100*second)
			if second >= 12 {
				before = fmt.Sprintf("values : %d\n", 100*(second-12))
			}
			noise := (second * 7919) % 13 // that has no pattern
			return strings.Replace(busy(second), before, fmt.Sprintf("values : %d\n", switches*second+noise), 1)
		}
	}
	v := open(t, writeLog(t, dir, 0, 60, of(100)), writeLog(t, t.TempDir(), 0, 60, of(900)))
	changed, err := v.Changed(t.Context(), view.Request{Source: "1", Begin: at(20), End: at(50)}, "0")
	if err != nil || len(changed.Changed) == 0 {
		t.Fatalf("%+v, %v", changed, err)
	}
	c := changed.Changed[0]
	if c.Path != `\\OTHER\System\Context Switches/sec` || c.Inside < 880 || c.Inside > 920 || c.Outside < 80 || c.Outside > 120 ||
		c.Time.Before(at(20)) || c.Time.After(at(50)) || !strings.HasPrefix(c.Difference, "+") {
		t.Errorf("%+v", c)
	}
	same, err := v.Changed(t.Context(), view.Request{Source: "0"}, "0")
	if err != nil || len(same.Changed) != 0 {
		t.Errorf("a source compared with itself: %+v, %v", same, err)
	}
	if _, err := v.Changed(t.Context(), view.Request{Source: "0"}, "9"); err == nil {
		t.Error("no error for an unknown source")
	}
}

// TestChangedWithout: an instance that the other log lacks is compared with zero; a counter that it lacks is
// not.
func TestChangedWithout(t *testing.T) {
	without := func(second int) string {
		text, _, _ := strings.Cut(block(second), "  instance \"editor\"")
		_, processors, _ := strings.Cut(text, "object 2 ")
		head, _, _ := strings.Cut(text, "object 238")
		return head + "object 2 " + processors
	}
	v := open(t, writeLog(t, t.TempDir(), 0, 60, without), writeLog(t, t.TempDir(), 0, 60, block))
	changed, err := v.Changed(t.Context(), view.Request{Source: "1"}, "0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changed.Changed {
		if strings.Contains(c.Path, "Processor") {
			t.Errorf("the other log has no processors: %+v", c)
		}
	}
	if len(changed.Changed) == 0 || changed.Changed[0].Path != `\\HOST\Process(editor)\Working Set` ||
		changed.Changed[0].Outside != 0 || changed.Changed[0].Inside < 2050 {
		t.Errorf("%+v", changed.Changed)
	}
}

// TestOptionsRange: the samples outside of the options do not exist.
func TestOptionsRange(t *testing.T) {
	src := join(t, files(writtenDir(t)))
	v := newView(t, view.Options{Begin: at(5), End: at(9)}, view.Source{Name: "log", Source: src})
	chart, err := v.Range(t.Context(), view.Request{Paths: []string{`\Process(shell)\Working Set`}}, view.Steps{})
	if err != nil || len(chart.Times) != 5 || chart.Series[0].Average[0] != 1005 || chart.Series[0].Average[4] != 1009 {
		t.Fatalf("%+v, %v", chart, err)
	}
	values, err := v.Values(t.Context(), view.Request{Paths: []string{`\Process(shell)\Working Set`}})
	if err != nil || !strings.Contains(string(values.Readings), `"value":1009,`) {
		t.Errorf("%+v, %v", values, err)
	}
	sources, err := v.Sources(t.Context())
	if s := sources.Sources[0]; err != nil || !s.Begin.Equal(at(5)) || !s.End.Equal(at(9)) || s.Samples != 5 || s.Interval != time.Second.Seconds() {
		t.Errorf("%+v, %v", s, err)
	}
}

// writtenDir returns a directory with the small log.
func writtenDir(t *testing.T) string {
	dir := t.TempDir()
	writeLog(t, dir, 0, 20, block)
	return dir
}
