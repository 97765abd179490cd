package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/sorted"
)

type eventLine struct {
	name   string
	region string // "begin", "end" or ""
	id     string
	attrs  []Attr
}

var errNoName = fmt.Errorf("expected the name of an event, of 1 to %d bytes", maxEventName)

func parseLine(line []byte) (l eventLine, err error) {
	switch {
	case !utf8.Valid(line):
		return l, errors.New("the line is not UTF-8")
	case len(line) == 0:
		return l, errNoName // only a byte order mark
	}
	if line[0] == '{' {
		l, err = parseJSONLine(line)
	} else {
		l, err = parseTextLine(string(line))
	}
	if err != nil {
		return l, err
	}

	switch {
	case l.name == "" || len(l.name) > maxEventName:
		return l, errNoName
	case strings.ContainsFunc(l.name, unicode.IsControl):
		return l, errors.New("the name of the event holds control characters")
	case len(l.attrs) > maxAttrs:
		return l, fmt.Errorf("%d attributes, expected at most %d", len(l.attrs), maxAttrs)
	case l.region != "" && l.region != "begin" && l.region != "end":
		return l, fmt.Errorf("region is %q, expected begin or end", l.region)
	}
	return l, nil
}

func parseTextLine(line string) (l eventLine, err error) {
	l.name, line, err = word(line)
	for err == nil && line != "" {
		key, rest, has := strings.Cut(line, "=")
		if !has || key == "" || strings.ContainsAny(key, " \t\"") {
			return l, fmt.Errorf("expected key=value at %q", cutText(line))
		}

		var value string
		quoted := strings.HasPrefix(rest, `"`)
		value, line, err = word(rest)
		switch {
		case key == "region":
			l.region = value
		case key == "id":
			l.id = value
		case quoted:
			l.attrs = append(l.attrs, Attr{key, value})
		default:
			l.attrs = append(l.attrs, Attr{key, guess(value)})
		}
	}
	return l, err
}

func word(s string) (word, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, " \t")
		if end < 0 {
			end = len(s)
		}
		return s[:end], strings.TrimLeft(s[end:], " \t"), nil
	}

	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", fmt.Errorf("expected text in quotes at %q", cutText(s))
	}
	rest = s[len(quoted):]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", "", fmt.Errorf("expected a space at %q", cutText(rest))
	}
	word, err = strconv.Unquote(quoted)
	return word, strings.TrimLeft(rest, " \t"), err
}

func cutText(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

func guess(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return n
	}
	if s == "true" || s == "false" {
		return s == "true"
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && strings.ContainsAny(s, "0123456789") {
		return f
	}
	return s
}

func parseJSONLine(line []byte) (l eventLine, err error) {
	var object struct {
		Name   string                     `json:"name"`
		Region string                     `json:"region"`
		ID     json.RawMessage            `json:"id"`
		Attrs  map[string]json.RawMessage `json:"attrs"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&object); err != nil {
		return l, fmt.Errorf("expected a JSON object with name, attrs, region and id: %w", err)
	}
	if rest := bytes.TrimSpace(line[d.InputOffset():]); len(rest) > 0 {
		return l, fmt.Errorf("expected the end of the line at %q", cutText(string(rest)))
	}

	l = eventLine{name: object.Name, region: object.Region}
	if object.ID != nil {
		l.id = fmt.Sprint(jsonValue(object.ID))
	}
	for key, raw := range object.Attrs {
		l.attrs = append(l.attrs, Attr{key, jsonValue(raw)})
	}
	sorted.Func(l.attrs, func(a, b Attr) int { return strings.Compare(a.Key, b.Key) })
	return l, nil
}

// jsonValue returns a number, text or truth value; any other value remains JSON text.
func jsonValue(raw json.RawMessage) any {
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	case 't', 'f', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return guess(string(raw))
	}
	return string(raw)
}
