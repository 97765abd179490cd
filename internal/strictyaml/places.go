package strictyaml

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Place is where a value stands in a text.
type Place struct {
	Pos         // of the value
	Key  Pos    // of its key; of an element of a list that of the element
	Text string // of a value that is text, a number or the like; "" for others
}

// Places are the places of the values of a text by their keys, of which those within others
// are joined by dots and elements of lists have their number: push[0].tls.ca_file. What
// aliases stand for has the place of the alias.
type Places map[string]Place

// PlacesOf finds the places in a text, as far as it is YAML. name stands for the text in errors.
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

// add adds what is below a node that stands for a key.
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

// Find returns the place of a key, or of what is around it where the text does not have it.
// A text that is not "" is what must stand there: what does not has no place, and ok is false.
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
