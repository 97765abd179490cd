package regfile

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
)

// WriteManifest returns a manifest as UTF-8.
func WriteManifest(m *Manifest) []byte {
	w := &xmlWriter{}
	w.b.WriteString(xml.Header)
	w.open("instrumentationManifest", "xmlns", "http://schemas.microsoft.com/win/2004/08/events")
	w.open("instrumentation")
	w.open("counters", "xmlns", countersNamespace, "schemaVersion", "1.1")

	for i := range m.Providers {
		p := &m.Providers[i]
		w.open("provider", "applicationIdentity", p.Binary, "providerGuid", p.GUID.String(),
			"providerName", p.Name, "providerType", "userMode", "callback", "custom", "symbol", p.Symbol)
		for k := range p.Sets {
			w.set(&p.Sets[k])
		}
		w.close("provider")
	}

	w.close("counters")
	w.close("instrumentation")
	w.close("instrumentationManifest")
	return []byte(strings.ReplaceAll(w.b.String(), "\n", "\r\n"))
}

// xmlWriter writes one element on each line.
type xmlWriter struct {
	b     strings.Builder
	depth int
}

// open begins an element; attrs are names and values in turn. Empty values are omitted.
func (w *xmlWriter) open(name string, attrs ...string) {
	w.tag(name, ">", attrs)
	w.depth++
}

func (w *xmlWriter) tag(name, end string, attrs []string) {
	w.indent()
	w.b.WriteString("<" + name)
	for i := 0; i < len(attrs); i += 2 {
		if attrs[i+1] != "" {
			w.b.WriteString(" " + attrs[i] + `="`)
			_ = xml.EscapeText(&w.b, []byte(attrs[i+1])) // a strings.Builder has no errors
			w.b.WriteString(`"`)
		}
	}
	w.b.WriteString(end + "\n")
}

func (w *xmlWriter) close(name string) {
	w.depth--
	w.indent()
	w.b.WriteString("</" + name + ">\n")
}

func (w *xmlWriter) indent() { w.b.WriteString(strings.Repeat("  ", w.depth)) }

func (w *xmlWriter) set(s *ManifestSet) {
	w.open("counterSet", "guid", s.GUID.String(), "uri", s.URI, "symbol", s.Symbol,
		"name", s.Name, "description", s.Help, "instances", s.Instances)
	for i := range s.Counters {
		c := &s.Counters[i]
		attrs := []string{"id", fmt.Sprint(c.ID), "uri", c.URI, "symbol", c.Symbol, "name", c.Name,
			"description", c.Help,
			"type", strings.ToLower(c.Type.String()), "detailLevel", c.Detail, "aggregate", c.Aggregate,
			"baseID", unless(c.Base, NoID), "perfTimeID", unless(c.PerfTime, NoID),
			"perfFreqID", unless(c.PerfFreq, NoID), "multiCounterID", unless(c.Multi, NoID),
			"defaultScale", unless(c.Scale, 0)}
		if len(c.Attributes) == 0 {
			w.tag("counter", "/>", attrs)
			continue
		}

		w.open("counter", attrs...)
		w.open("counterAttributes")
		for _, a := range c.Attributes {
			w.tag("counterAttribute", "/>", []string{"name", a})
		}
		w.close("counterAttributes")
		w.close("counter")
	}
	w.close("counterSet")
}

// unless returns a number as text, or "" if it equals none.
func unless[T uint32 | int32](n, none T) string {
	if n == none {
		return ""
	}
	return fmt.Sprint(n)
}

// WriteSymbols returns a C header of a manifest's symbols: the GUIDs of providers and sets
// as initializers, and the ids of counters.
func WriteSymbols(m *Manifest) []byte {
	var b strings.Builder
	b.WriteString("// Symbols of the counter manifest, for the provider. A GUID stands as the initializer " +
		"of a GUID:\n")
	b.WriteString("//\n//     static const GUID set = SYMBOL_GUID;\n")

	for i := range m.Providers {
		p := &m.Providers[i]
		defineGUID(&b, p.Symbol, p.GUID)
		for k := range p.Sets {
			s := &p.Sets[k]
			b.WriteString("\n")
			defineGUID(&b, s.Symbol, s.GUID)
			for n := range s.Counters {
				if c := &s.Counters[n]; c.Symbol != "" {
					fmt.Fprintf(&b, "#define %s %d\n", c.Symbol, c.ID)
				}
			}
		}
	}
	return []byte(strings.ReplaceAll(b.String(), "\n", "\r\n"))
}

func defineGUID(b *strings.Builder, symbol string, g winperf.GUID) {
	if symbol == "" {
		return
	}
	fmt.Fprintf(b, "#define %s_GUID {0x%02x%02x%02x%02x, 0x%02x%02x, 0x%02x%02x, {", symbol,
		g[3], g[2], g[1], g[0], g[5], g[4], g[7], g[6])
	fmt.Fprintf(b, "0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x}}\n",
		g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15])
}
