package sensor_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
)

func TestSensorName(t *testing.T) {
	name := func(group, counted string) sensor.Name {
		return sensor.Name{Source: "windows.winperf", Group: group, Sensor: counted}
	}
	instance := func(n sensor.Name, text string, index int) sensor.Name {
		n.Instance, n.Index, n.HasInstance = text, index, true
		return n
	}
	busy := name("Process", "% Processor Time")
	tests := []struct {
		name sensor.Name
		text string
	}{
		{name("Memory", "Available MBytes"), "windows.winperf/Memory/Available MBytes"},
		{name("System", "Context Switches/sec"), "windows.winperf/System/Context Switches%2Fsec"},
		{busy, "windows.winperf/Process/%25 Processor Time"},
		{instance(busy, "svchost", 0), "windows.winperf/Process/%25 Processor Time#svchost"},
		{instance(busy, "svchost", 2), "windows.winperf/Process/%25 Processor Time#svchost#2"},
		{instance(busy, "build#5", 0), "windows.winperf/Process/%25 Processor Time#build%235"},
		{instance(busy, "build#5", 1), "windows.winperf/Process/%25 Processor Time#build%235#1"},
		{instance(busy, "", 0), "windows.winperf/Process/%25 Processor Time#"},
		{instance(busy, "", 3), "windows.winperf/Process/%25 Processor Time##3"},
		{instance(busy, "*", 0), "windows.winperf/Process/%25 Processor Time#*"},
		{instance(busy, "svchost", winperf.AnyIndex), "windows.winperf/Process/%25 Processor Time#svchost#*"},
		{instance(name("Thread", "x"), "firefox/1", 0), "windows.winperf/Thread/x#firefox%2F1"},
		{instance(name("LogicalDisk", "x"), "C:", 0), "windows.winperf/LogicalDisk/x#C:"},
		{name("a%2Fb", "%%25"), "windows.winperf/a%252Fb/%25%2525"},
		{sensor.Name{Source: "host#1/x", Group: "Größe", Sensor: "值"}, "host%231%2Fx/Größe/值"},
	}
	for _, tt := range tests {
		if got := tt.name.String(); got != tt.text {
			t.Errorf("%+v is written %s, want %s", tt.name, got, tt.text)
		}
		if got, err := sensor.ParseName(tt.text); err != nil || got != tt.name {
			t.Errorf("%s reads as %+v, %v", tt.text, got, err)
		}
	}
}

// Names that people type: a % that begins no escape is itself.
func TestSensorNameAsTyped(t *testing.T) {
	tests := []struct{ text, canonical string }{
		{"windows.winperf/Processor/% Processor Time#_Total", "windows.winperf/Processor/%25 Processor Time#_Total"},
		{"windows.winperf/System/Context Switches%2fsec", "windows.winperf/System/Context Switches%2Fsec"},
		{"windows.winperf/Process/%25%20Processor%20Time#my%20editor", "windows.winperf/Process/%25 Processor Time#my editor"},
		{"a/b/%2520", "a/b/%2520"},
		{"windows.winperf/Thread/x#firefox/1", "windows.winperf/Thread/x#firefox%2F1"},
		{"a/b/100%", "a/b/100%25"},
		{"a/b/%zz%2", "a/b/%25zz%252"},
		{"a/b/c#d#007", "a/b/c#d#7"},
		{"a/b/c#d#0", "a/b/c#d"},
	}
	for _, tt := range tests {
		n, err := sensor.ParseName(tt.text)
		if err != nil || n.String() != tt.canonical {
			t.Errorf("%s reads as %s, %v; want %s", tt.text, n, err, tt.canonical)
		}
	}
}

func TestBadSensorName(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "byte offset 0: expected source/group/sensor, got 1 parts"},
		{"windows.winperf/Memory", "got 2 parts"},
		{"windows.winperf/System/Context Switches/sec", "a / in a name is written %2F"},
		{"/b/c", "byte offset 0: expected a source"},
		{"a//c", "byte offset 2: expected a group"},
		{"a/b/#x", "byte offset 4: expected a sensor"},
		{"a/b/c#C#", "byte offset 8: expected the number of an instance or *"},
		{"a/b/c#d#1#2", "a # in a name is written %23"},
		{"a/b/c#d#-1", "byte offset 8"},
		{"a/b/c#d#2147483648", "byte offset 8"},
	}
	for _, tt := range tests {
		n, err := sensor.ParseName(tt.text)
		if !errors.Is(err, sensor.ErrName) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", tt.text)) {
			t.Errorf("%s: error %v, want %q", tt.text, err, tt.want)
		}
		if n != (sensor.Name{}) {
			t.Errorf("%s: %+v beside an error", tt.text, n)
		}
	}
}

// What is written reads back the same, and what was read is written so that it
// reads back the same.
func FuzzSensorName(f *testing.F) {
	f.Add("windows.winperf", "Process", "% Processor Time", "svchost", 2, true)
	f.Add("a", "b/c", "d#e", "%2F%", winperf.AnyIndex, true)
	f.Add("%", "%2", "5%", "#*", 0, false)
	f.Add("a", "%25", "%2", "\xff\x00", 1<<31-1, true)
	f.Fuzz(func(t *testing.T, source, group, counted, instance string, index int, has bool) {
		n := sensor.Name{Source: source, Group: group, Sensor: counted}
		if has {
			n.Instance, n.Index, n.HasInstance = instance, index, true
		}
		text := n.String()
		read, err := sensor.ParseName(text)
		if source == "" || group == "" || counted == "" || n.Index < winperf.AnyIndex || n.Index > math.MaxInt32 {
			return // no name of a sensor
		}
		if err != nil || read != n {
			t.Fatalf("%+v is written %q and reads as %+v, %v", n, text, read, err)
		}
		// Any text: an error, or a name with a canonical text.
		typed, err := sensor.ParseName(source + group + counted + instance)
		if (err == nil) == (typed == sensor.Name{}) {
			t.Fatalf("%+v, %v", typed, err)
		}
		if again, err2 := sensor.ParseName(typed.String()); err == nil && (err2 != nil || again != typed) {
			t.Fatalf("%+v reads back as %+v, %v", typed, again, err2)
		}
	})
}

func TestSensorPaths(t *testing.T) {
	for _, text := range []string{
		`\Memory\Available MBytes`, `\Process(svchost)\% Processor Time`, `\Process(svchost#2)\ID Process`,
		`\Thread(firefox/1#3)\Context Switches/sec`, `\Process(build#5#0)\ID Process`, `\Process()\x`,
		`\Process(*)\*`, `\Process(svchost#*)\x`,
	} {
		p := parsed(t, text)
		n := sensor.NewName("linux.winperf", p)
		read, err := sensor.ParseName(n.String())
		if err != nil || read.Path() != p || read.Path().String() != text {
			t.Errorf("%s is %s and back %s, %v", text, n, read.Path(), err)
		}
	}
	p := parsed(t, `\\HOST\Memory\Free`)
	if got := sensor.NewName("s", p).Path().String(); got != `\Memory\Free` {
		t.Errorf("the machine is the source's: %s", got)
	}
}

func TestSourceName(t *testing.T) {
	for _, tt := range []struct {
		schema *winperf.Schema
		want   string
	}{
		{&winperf.Schema{Interface: "local"}, "linux.winperf"},
		{&winperf.Schema{Interface: "registry"}, "windows.winperf"},
		{&winperf.Schema{Interface: "file"}, "windows.winperf"},
		{nil, "windows.winperf"},
	} {
		if got := sensor.SourceName(tt.schema); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.schema, got, tt.want)
		}
	}
}

func parsed(t *testing.T, text string) winperf.Path {
	t.Helper()
	p, err := winperf.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
