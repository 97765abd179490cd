package strictyaml

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Place is the place of a value in a text.
type Place struct {
	Pos         // of the value
	Key  Pos    // of its key, or of the list element
	Text string // of a scalar value; "" for others
}

// Places are the places of a text's values by key. Nested keys are joined by dots, list
// elements are numbered: push[0].tls.ca_file. Values of aliases have the alias' place.
type Places map[string]Place

// PlacesOf finds the places in the valid part of a text. name is its name for errors.
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

// Find returns the place of a key, or of its nearest parent in the text. If text is not ""
// and the value differs, ok is false.
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
