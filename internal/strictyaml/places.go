package strictyaml

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Place is the position of a value in a text.
type Place struct {
	Pos         // of the value
	Key  Pos    // of its key; for an element of a list, of the element
	Text string // the value if it is text, a number or similar; "" for others
}

// Places are the positions of values by their keys. Nested keys are joined by dots, elements of
// lists have numbers: push[0].tls.ca_file. Values from an alias have the position of the alias.
type Places map[string]Place

// PlacesOf returns the positions in a text, up to the first invalid YAML. Errors use name for the
// text.
func PlacesOf(name string, text []byte) Places {
	all := Places{}
	if len(text) > MaxSize {
		return all
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	var doc yaml.Node
	if err != nil || loader.Load(&doc) != nil {
		return all
	}
	for _, root := range doc.Content {
		all.add(name, "", root, 0)
	}
	return all
}

// add adds the values below the node of a key.
func (p Places) add(name, key string, n *yaml.Node, depth int) {
	at := func(n *yaml.Node) Pos { return Pos{Source: name, Line: n.Line, Column: n.Column} }
	if depth > MaxDepth {
		return
	}

	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			inner := strings.TrimPrefix(key+"."+k.Value, ".")
			p[inner] = Place{at(v), at(k), textOf(v)}
			p.add(name, inner, v, depth+1)
		}

	case yaml.SequenceNode:
		for i, v := range n.Content {
			inner := fmt.Sprintf("%s[%d]", key, i)
			p[inner] = Place{at(v), at(v), textOf(v)}
			p.add(name, inner, v, depth+1)
		}
	}
}

func textOf(n *yaml.Node) string {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// Find returns the position of a key, or of the nearest enclosing key in the text. If text is not
// "", ok is false unless the value is this text.
func (p Places) Find(key, text string) (place Place, ok bool) {
	if place, ok = p[key]; ok {
		return place, text == "" || place.Text == text
	}
	for !ok && key != "" {
		key = key[:max(strings.LastIndexAny(key, ".["), 0)]
		place, ok = p[key]
	}
	return place, ok && text == ""
}
