package regfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/internal/wire"
)

// elementSpec lists the children and attributes of an element.
type elementSpec struct {
	children []string
	attrs    []attrSpec
}

// attrSpec describes an attribute: check returns "" for a valid value.
type attrSpec struct {
	name     string
	required bool
	check    func(value string) string
}

// elements are the elements of the counters' namespace (Microsoft Learn, "Performance
// Counters Schema").
var elements = map[string]elementSpec{
	"counters": {[]string{"provider"}, []attrSpec{{"schemaVersion", false, nil}}},
	"provider": {[]string{"counterSet"}, []attrSpec{
		{"applicationIdentity", true, fileName},
		{"providerGuid", true, guid},
		{"providerName", false, nil},
		{"providerType", false, oneOf("userMode", "kernelMode")},
		{"callback", false, oneOf("default", "custom")},
		{"resourceBase", false, number(0, 0xFFFF)},
		{"symbol", false, rules.SymbolFault},
	}},
	"counterSet": {[]string{"counter", "structs"}, []attrSpec{
		{"guid", true, guid},
		{"uri", true, notEmpty},
		{"name", true, setName},
		{"description", true, notEmpty},
		{"nameID", false, number(0, 0xFFFFFFFF)},
		{"descriptionID", false, number(0, 0xFFFFFFFF)},
		{"symbol", true, rules.SymbolFault},
		{"instances", false, oneOf("single", "multiple", "globalAggregate", "multipleAggregate",
			"globalAggregateHistory", "instanceAggregate")},
	}},
	"structs": {[]string{"struct"}, nil},
	"struct":  {nil, []attrSpec{{"name", true, rules.SymbolFault}, {"type", false, notEmpty}}},
	"counter": {[]string{"counterAttributes"}, []attrSpec{
		{"id", true, number(0, NoID-1)},
		{"uri", true, notEmpty},
		{"type", true, typeName},
		{"detailLevel", true, oneOf("standard", "advanced")},
		{"name", false, setName},
		{"description", false, nil},
		{"nameID", false, number(0, 0xFFFFFFFF)},
		{"descriptionID", false, number(0, 0xFFFFFFFF)},
		{"symbol", false, rules.SymbolFault},
		{"baseID", false, number(0, NoID-1)},
		{"perfTimeID", false, number(0, NoID-1)},
		{"perfFreqID", false, number(0, NoID-1)},
		{"multiCounterID", false, number(0, NoID-1)},
		{"defaultScale", false, number(-10, 10)},
		{"aggregate", false, oneOf("sum", "avg", "min", "max", "undefined")},
		{"struct", false, notEmpty},
		{"field", false, notEmpty},
	}},
	"counterAttributes": {[]string{"counterAttribute"}, nil},
	"counterAttribute": {nil, []attrSpec{
		{"name", true, oneOf("reference", "noDisplay", "noDigitGrouping", "displayAsHex", "displayAsReal")},
	}},
}

// checkElement reports faults of an element's attributes and unknown children.
func checkElement(r *rules.Report, e *element) {
	spec, ok := elements[e.name.Local]
	if !ok {
		return
	}

	var names []string
	for _, a := range spec.attrs {
		names = append(names, a.name)
		found, ok := e.find(a.name)
		switch {
		case !ok && a.required:
			r.Fault(e.Position, "<%s> has no %s", e.name.Local, a.name)
		case ok && a.check != nil:
			if msg := a.check(found.value); msg != "" {
				r.Fault(found.Position, "%s=%q: %s", a.name, found.value, msg)
			}
		}
	}

	for _, a := range e.attrs {
		if a.space == "" && !slices.Contains(names, a.name) {
			r.Fault(a.Position, "<%s> has no attribute %s%s", e.name.Local, a.name,
				didYouMeanOf(a.name, slices.Values(names)))
		}
	}

	for _, c := range e.children {
		if !slices.Contains(spec.children, c.name.Local) {
			r.Fault(c.Position, "<%s> has no element <%s>%s", e.name.Local, c.name.Local,
				didYouMeanOf(c.name.Local, slices.Values(spec.children)))
		}
	}
}

func notEmpty(value string) string {
	if strings.TrimSpace(value) == "" {
		return "is empty"
	}
	return ""
}

func fileName(value string) string {
	if strings.ContainsAny(value, `\/:`) {
		return "expected a file name without a path"
	}
	return notEmpty(value)
}

func guid(value string) string {
	g, err := winperf.ParseGUID(value)
	if err != nil || !strings.HasPrefix(value, "{") {
		return "expected a GUID, {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}"
	}
	if g.IsZero() {
		return "the GUID is zero"
	}
	return ""
}

// setName checks the name of a set or counter.
func setName(value string) string {
	const most = 1023 // PERF_MAX_INSTANCE_NAME - 1
	if n := wire.NumUnits(value); n > most {
		return fmt.Sprintf("has %d characters, more than %d", n, most)
	}
	return notEmpty(value)
}

func oneOf(words ...string) func(string) string {
	return func(value string) string {
		if slices.Contains(words, value) {
			return ""
		}
		return "expected " + strings.Join(words, ", ") + didYouMeanOf(value, slices.Values(words))
	}
}

func number(least, most int64) func(string) string {
	return func(value string) string {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 0, 64)
		if err != nil || n < least || n > most {
			return fmt.Sprintf("expected a number from %d to %d", least, most)
		}
		return ""
	}
}

// typeName checks a type: the constant of winperf.h in lower case.
func typeName(value string) string {
	t, err := counter.ParseType(value)
	if err != nil {
		return err.Error()
	}
	if info, known := t.Info(); !known || value != strings.ToLower(info.Name) &&
		value != strings.ToLower(info.Alias) {
		return "expected the constant of winperf.h in lower case, " + strings.ToLower(t.String())
	}
	return ""
}
