package regfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/internal/wire"
)

// maxDepth limits the nesting of elements; a manifest needs eight levels.
const maxDepth = 32

type element struct {
	name     xml.Name
	attrs    []attr
	children []*element
	Position
}

type attr struct {
	name, space, value string
	Position
}

func (e *element) attr(name string) string {
	a, _ := e.find(name)
	return a.value
}

func (e *element) find(name string) (attr, bool) {
	for _, a := range e.attrs {
		if a.name == name && a.space == "" {
			return a, true
		}
	}
	return attr{}, false
}

// at returns the place of an attribute, or of the element if it has none.
func (e *element) at(name string) Position {
	if a, ok := e.find(name); ok {
		return a.Position
	}
	return e.Position
}

// all calls visit for every descendant with a name.
func (e *element) all(name string, visit func(*element)) {
	for _, c := range e.children {
		if c.name.Local == name {
			visit(c)
		}
		c.all(name, visit)
	}
}

// parseXML reads a document, up to a fault.
func parseXML(r *rules.Report, data []byte) *element {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		data = []byte(decodeUTF16(r, data[2:]))
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		r.Fault(rules.At(1, 1), "text is big-endian UTF-16: expected UTF-8 or UTF-16LE")
		return nil
	}

	t := tree{data: bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))}
	t.at = rules.NewPlaces(t.data)
	d := xml.NewDecoder(bytes.NewReader(t.data))
	d.CharsetReader = charset
	if err := t.read(r, d); err != nil && !errors.Is(err, io.EOF) {
		r.Fault(xmlPosition(d, t.data, err), "%s",
			strings.TrimPrefix(err.Error(), "XML syntax error on line "))
	}
	if t.root == nil && len(r.Findings) == 0 {
		r.Fault(Position{}, "no element")
	}
	return t.root
}

// tree is the part of a document that was read.
type tree struct {
	data []byte
	at   rules.Places
	root *element
	open []*element
}

// read reads elements up to io.EOF or a fault.
func (t *tree) read(r *rules.Report, d *xml.Decoder) error {
	for {
		begin := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			return err
		}

		switch token := token.(type) {
		case xml.StartElement:
			e := t.newElement(begin, d.InputOffset(), &token)
			switch {
			case len(t.open) == maxDepth:
				r.Fault(e.Position, "elements nest deeper than %d", maxDepth)
				return nil
			case len(t.open) > 0:
				parent := t.open[len(t.open)-1]
				parent.children = append(parent.children, e)
			case t.root == nil:
				t.root = e
			}
			t.open = append(t.open, e)
		case xml.EndElement:
			t.open = t.open[:len(t.open)-1]
		}
	}
}

// charset decodes the other encodings of manifests. UTF-16 is already decoded.
func charset(name string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "utf-16", "us-ascii", "ascii":
		return in, nil
	case "windows-1252", "iso-8859-1":
		text, err := io.ReadAll(in)
		return strings.NewReader(wire.Decode(text, ansi)), err
	}
	return nil, fmt.Errorf("encoding %q: expected UTF-8, UTF-16 or windows-1252", name)
}

func xmlPosition(d *xml.Decoder, data []byte, err error) Position {
	var syntax *xml.SyntaxError
	line, col := d.InputPos()
	if errors.As(err, &syntax) {
		line = syntax.Line
	}
	return rules.At(line, min(col, len(data)+1))
}

// attributes matches the attributes of a start tag, with the local part of the name.
var attributes = regexp.MustCompile(`(?:[^\s=:<>"'/]+:)?([^\s=<>"'/]+)\s*=\s*(?:"[^"]*"|'[^']*')`)

// newElement finds the places of an element and its attributes in its tag, between two
// offsets. In other encodings than UTF-8 they may be missing.
func (t *tree) newElement(begin, end int64, start *xml.StartElement) *element {
	e := &element{name: start.Name, Position: t.at.Of(begin)}
	end = min(end, int64(len(t.data)))
	tag := t.data[min(begin, end):end]
	places := attributes.FindAllSubmatchIndex(tag, len(start.Attr))
	for i, a := range start.Attr {
		found := e.Position
		if i < len(places) && string(tag[places[i][2]:places[i][3]]) == a.Name.Local {
			found = t.at.Of(begin + int64(places[i][2]))
		}
		space := a.Name.Space
		if a.Name.Local == "xmlns" {
			space = "xmlns"
		}
		e.attrs = append(e.attrs, attr{a.Name.Local, space, a.Value, found})
	}
	return e
}
