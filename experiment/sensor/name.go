// Package sensor names and describes counters in the form of the Java Performance Measurement Framework.
// A [Catalogue] has the sensors of a source, their kinds and value types, instances and clocks. A [Joint]
// measures sensors of several sources at the same moment.
package sensor

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// ErrName reports a text that is not a sensor name.
var ErrName = errors.New("bad sensor name")

// Name is the name of a sensor, or of one instance of it, in the form of the Java Performance Measurement
// Framework:
//
//	source/group/sensor
//	source/group/sensor#instance
//	source/group/sensor#instance#index
//
// The group is the object's name, the sensor the counter's name and the instance its name in a path,
// parent/name if it has a parent. The index distinguishes instances of the same name; 0 is not written.
//
// The characters / # and % within a name are written %2F, %23 and %25. %20 is read as a space. Any other
// % is literal, as in windows.winperf/Processor/% Processor Time.
type Name struct {
	Source string // for example windows.winperf, see SourceName
	Group  string
	Sensor string
	// Instance is the instance's full name, without the index.
	Instance string
	Index    int // position among equal instances, 0-based; winperf.AnyIndex for all
	// HasInstance reports whether the name has an instance, which may be empty.
	HasInstance bool
}

// ParseName parses a sensor name. It is the inverse of String, unless the source, group or sensor is
// empty or the index is out of range. The error wraps ErrName and says where the text is wrong.
func ParseName(text string) (Name, error) {
	fail := func(offset int, expected string) (Name, error) {
		return Name{}, fmt.Errorf("%w %q, byte offset %d: expected %s",
			ErrName, text, offset, expected)
	}
	head, instance, found := strings.Cut(text, "#")
	parts := strings.SplitN(head, "/", 4)
	if len(parts) != 3 {
		const form = "source/group/sensor, got %d parts (a / in a name is written %%2F)"
		return fail(len(head), fmt.Sprintf(form, len(parts)))
	}

	offset := 0
	for i, part := range parts {
		if part == "" {
			return fail(offset, "a "+[...]string{"source", "group", "sensor"}[i])
		}
		parts[i] = sensorUnescaper.Replace(part)
		offset += len(part) + 1
	}

	n := Name{Source: parts[0], Group: parts[1], Sensor: parts[2], HasInstance: found}
	instance, index, found := strings.Cut(instance, "#")
	n.Instance = sensorUnescaper.Replace(instance)
	switch {
	case !found:
	case index == "*":
		n.Index = winperf.AnyIndex
	default:
		i, err := strconv.ParseUint(index, 10, 31)
		if err != nil {
			return fail(len(text)-len(index), "the number of an instance or * (a # in a name is written %23)")
		}
		n.Index = int(i)
	}
	return n, nil
}

var (
	sensorEscaper   = strings.NewReplacer("%", "%25", "/", "%2F", "#", "%23")
	sensorUnescaper = strings.NewReplacer("%25", "%", "%2F", "/", "%2f", "/", "%23", "#", "%20", " ")
)

// String returns the name as text.
func (n Name) String() string {
	b := make([]byte, 0, 64)
	for _, part := range [...]string{n.Source, n.Group, n.Sensor} {
		b = append(b, sensorEscaper.Replace(part)...)
		b = append(b, '/')
	}

	b = b[:len(b)-1]
	if !n.HasInstance {
		return string(b)
	}

	b = append(b, '#')
	b = append(b, sensorEscaper.Replace(n.Instance)...)
	switch {
	case n.Index == winperf.AnyIndex:
		b = append(b, "#*"...)
	case n.Index != 0:
		b = append(b, '#')
		b = strconv.AppendInt(b, int64(n.Index), 10)
	}
	return string(b)
}

// NewName returns the sensor name of a path's counter in a source. The path's machine is ignored.
func NewName(source string, p winperf.Path) Name {
	return Name{
		Source: source, Group: p.Object, Sensor: p.Counter,
		Instance: p.Instance, Index: p.Index, HasInstance: p.HasInstance,
	}
}

// Path returns the path of the counter, without machine. Wildcards keep their meaning. Path does not
// check the parts: some names are not valid in a path, use winperf.Path.Validate.
func (n Name) Path() winperf.Path {
	return winperf.Path{
		Object: n.Group, Counter: n.Sensor,
		Instance: n.Instance, Index: n.Index, HasInstance: n.HasInstance,
	}
}

// Assign returns a copy of origins with the paths of the sensors, each in the origin that the sensor's
// name begins with. The error wraps winperf.ErrNoMachine where no origin has that name.
func Assign(origins []Origin, names []Name) ([]Origin, error) {
	all := slices.Clone(origins)
	for i := range all {
		all[i].Paths = slices.Clip(all[i].Paths)
	}
	for _, n := range names {
		i := slices.IndexFunc(all, func(o Origin) bool { return strings.EqualFold(o.Name, n.Source) })
		if i < 0 {
			return nil, fmt.Errorf("sensor %s: %w: no source has the name %s", n, winperf.ErrNoMachine, n.Source)
		}
		all[i].Paths = append(all[i].Paths, n.Path())
	}
	return all, nil
}

const (
	windowsSource = "windows.winperf" // counters of Windows, live or from a log
	linuxSource   = "linux.winperf"   // counters of a Linux host
)

// SourceName returns the default source name of a schema: linux.winperf for counters of a Linux host,
// windows.winperf for all others.
func SourceName(s *winperf.Schema) string {
	if s != nil && s.Interface == "local" {
		return linuxSource
	}
	return windowsSource
}

// UsualSource reports whether name is a result of SourceName, or win32.winperf (Windows in the Java
// Performance Measurement Framework), ignoring case. Sensor names with such a source match the same
// counter in any source.
func UsualSource(name string) bool {
	return strings.EqualFold(name, windowsSource) || strings.EqualFold(name, linuxSource) ||
		strings.EqualFold(name, "win32.winperf")
}
