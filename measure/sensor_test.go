package measure_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

func TestSensorName(t *testing.T) {
	name := func(group, sensor string) measure.SensorName {
		return measure.SensorName{Source: "windows.winperf", Group: group, Sensor: sensor}
	}
	instance := func(n measure.SensorName, text string, index int) measure.SensorName {
		n.Instance, n.Index, n.HasInstance = text, index, true
		return n
	}
	busy := name("Process", "% Processor Time")
	tests := []struct {
		name measure.SensorName
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
		{measure.SensorName{Source: "host#1/x", Group: "Größe", Sensor: "值"}, "host%231%2Fx/Größe/值"},
	}
	for _, tt := range tests {
		if got := tt.name.String(); got != tt.text {
			t.Errorf("%+v is written %s, want %s", tt.name, got, tt.text)
		}
		if got, err := measure.ParseSensorName(tt.text); err != nil || got != tt.name {
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
		n, err := measure.ParseSensorName(tt.text)
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
		n, err := measure.ParseSensorName(tt.text)
		if !errors.Is(err, measure.ErrSensorName) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", tt.text)) {
			t.Errorf("%s: error %v, want %q", tt.text, err, tt.want)
		}
		if n != (measure.SensorName{}) {
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
	f.Fuzz(func(t *testing.T, source, group, sensor, instance string, index int, has bool) {
		n := measure.SensorName{Source: source, Group: group, Sensor: sensor}
		if has {
			n.Instance, n.Index, n.HasInstance = instance, index, true
		}
		text := n.String()
		read, err := measure.ParseSensorName(text)
		if source == "" || group == "" || sensor == "" || n.Index < winperf.AnyIndex || n.Index > math.MaxInt32 {
			return // no name of a sensor
		}
		if err != nil || read != n {
			t.Fatalf("%+v is written %q and reads as %+v, %v", n, text, read, err)
		}
		// Any text: an error, or a name with a canonical text.
		typed, err := measure.ParseSensorName(source + group + sensor + instance)
		if (err == nil) == (typed == measure.SensorName{}) {
			t.Fatalf("%+v, %v", typed, err)
		}
		if again, err2 := measure.ParseSensorName(typed.String()); err == nil && (err2 != nil || again != typed) {
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
		p := paths(t, text)[0]
		n := measure.NewSensorName("linux.winperf", p)
		read, err := measure.ParseSensorName(n.String())
		if err != nil || read.Path() != p || read.Path().String() != text {
			t.Errorf("%s is %s and back %s, %v", text, n, read.Path(), err)
		}
	}
	p := paths(t, `\\HOST\Memory\Free`)[0]
	if got := measure.NewSensorName("s", p).Path().String(); got != `\Memory\Free` {
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
		if got := measure.SourceName(tt.schema); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.schema, got, tt.want)
		}
	}
}

// One row for each pair of value type and wanted type.
func TestConversions(t *testing.T) {
	const exact, odd = 1 << 53, 1<<53 + 1
	tests := []struct {
		of                     measure.ValueType
		value                  counter.Value
		uint32, uint64, double string
	}{
		{measure.Integer32, counter.Int(7), "7 <nil>", "7 <nil>", "7.0 <nil>"},
		{measure.Integer32, counter.Int(math.MaxUint32), "4294967295 <nil>", "4294967295 <nil>", "4294967295.0 <nil>"},
		{measure.Integer32, counter.Int(math.MaxUint32 + 1), "error", "4294967296 <nil>", "4294967296.0 <nil>"},
		{measure.Integer64, counter.Int(7), "error", "7 <nil>", "7.0 <nil>"},
		{measure.Integer64, counter.Int(exact), "error", "9007199254740992 <nil>", "9007199254740992.0 <nil>"},
		{measure.Integer64, counter.Int(odd), "error", "9007199254740993 <nil>", "error"},
		{measure.Integer64, counter.Int(math.MaxUint64), "error", "18446744073709551615 <nil>", "error"},
		{measure.Integer64, counter.Int(1 << 63), "error", "9223372036854775808 <nil>", "9223372036854775808.0 <nil>"},
		{measure.Decimal, counter.Float(7), "error", "error", "7.0 <nil>"},
		{measure.Decimal, counter.Float(-0.5), "error", "error", "-0.5 <nil>"},
		{measure.TextValue, counter.Text("7"), "error", "error", "error"},
		{measure.NoValue, counter.Int(7), "error", "error", "error"},
		{measure.Integer32, counter.Value{}, "error", "error", "error"},
		{measure.Decimal, counter.Value{}, "error", "error", "error"},
	}
	integer := func(n uint64, err error) string {
		if errors.Is(err, measure.ErrConversion) && n == 0 {
			return "error"
		}
		return fmt.Sprint(n, err)
	}
	for _, tt := range tests {
		n32, err32 := tt.of.Uint32(tt.value)
		n64, err64 := tt.of.Uint64(tt.value)
		f, errF := tt.of.Float64(tt.value)
		double := fmt.Sprintf("%.1f %v", f, errF)
		if errors.Is(errF, measure.ErrConversion) && f == 0 {
			double = "error"
		}
		if got := integer(uint64(n32), err32); got != tt.uint32 {
			t.Errorf("%v of value type %v as 32-bit: %s, want %s", tt.value, tt.of, got, tt.uint32)
		}
		if got := integer(n64, err64); got != tt.uint64 {
			t.Errorf("%v of value type %v as 64-bit: %s, want %s", tt.value, tt.of, got, tt.uint64)
		}
		if double != tt.double {
			t.Errorf("%v of value type %v as decimal: %s, want %s", tt.value, tt.of, double, tt.double)
		}
	}
	// The numbers of the types are fixed.
	for n, word := range []string{"none", "32-bit", "64-bit", "decimal", "text", "value type 5"} {
		if got := measure.ValueType(n).String(); got != word {
			t.Errorf("value type %d is %s, want %s", n, got, word)
		}
	}
	if _, err := measure.Integer64.Uint32(counter.Int(5)); err == nil || err.Error() != "lossy conversion: 5 of value type 64-bit as a 32-bit integer" {
		t.Errorf("error %v", err)
	}
}

func TestValueTypes(t *testing.T) {
	tests := []struct {
		typ  counter.Type
		size int
		want measure.ValueType
	}{
		{counter.RawCount, 4, measure.Integer32},
		{counter.RawCount, 8, measure.Integer64}, // the definition's size goes before the type's
		{counter.LargeRawCount, 8, measure.Integer64},
		{counter.RawCountHex, 4, measure.Integer32},
		{counter.LargeRawCountHex, 8, measure.Integer64},
		{counter.Delta, 4, measure.Integer32},
		{counter.LargeDelta, 8, measure.Integer64},
		{counter.Timer100NSec, 8, measure.Decimal},
		{counter.ElapsedTime, 8, measure.Decimal},
		{counter.BulkCount, 8, measure.Decimal},
		{counter.RawFraction, 4, measure.Decimal},
		{counter.AverageBulk, 8, measure.Decimal},
		{counter.CounterText, 20, measure.TextValue},
		{counter.RawBase, 4, measure.NoValue},
		{counter.LargeRawBase, 8, measure.NoValue},
		{counter.NoData, 0, measure.NoValue},
		{counter.Histogram, 4, measure.NoValue},
		{0x12345678, 4, measure.NoValue},
	}
	for _, tt := range tests {
		if got := measure.ValueTypeOf(tt.typ, tt.size); got != tt.want {
			t.Errorf("%v of %d bytes: %v, want %v", tt.typ, tt.size, got, tt.want)
		}
	}
}
