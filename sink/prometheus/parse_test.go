package prometheus

import (
	"fmt"
	"strconv"
	"strings"
)

// parsed is a sample as a reader finds it.
type parsed struct {
	name   string
	labels map[string]string
	value  float64
	time   string
}

// parse reads an exposition by the rules of both formats. The real parsers are in the module
// internal/benchref; this one knows no more than what the documents say.
func parse(text string) (heads []string, samples []parsed, err error) {
	for n, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(l, "#") {
			heads = append(heads, l)
			continue
		}
		s, err := parseSample(l)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d, %q: %w", n+1, l, err)
		}
		samples = append(samples, s)
	}
	return heads, samples, nil
}

func parseSample(l string) (s parsed, err error) {
	at := strings.IndexAny(l, "{ ")
	if at <= 0 {
		return s, fmt.Errorf("no name")
	}
	s.name, s.labels = l[:at], map[string]string{}
	for l = l[at:]; l[0] != ' '; {
		name, rest, ok := strings.Cut(l[1:], `="`)
		if !ok {
			return s, fmt.Errorf("no label at %q", l)
		}
		value, rest, err := parseQuoted(rest)
		if _, twice := s.labels[name]; twice || err != nil || rest == "" || rest[0] != ',' && rest[0] != '}' {
			return s, fmt.Errorf("label %s: %w", name, err)
		}
		s.labels[name] = value
		if l = rest; l[0] == '}' {
			l = l[1:]
		}
	}

	fields := strings.Split(l[1:], " ")
	if len(fields) == 2 {
		s.time = fields[1]
	} else if len(fields) != 1 {
		return s, fmt.Errorf("%d fields", len(fields))
	}
	s.value, err = strconv.ParseFloat(fields[0], 64)
	return s, err
}

// parseQuoted reads up to the closing quote.
func parseQuoted(l string) (value, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(l); i++ {
		switch c := l[i]; c {
		case '"':
			return b.String(), l[i+1:], nil
		case '\\':
			i++
			if i == len(l) {
				return "", "", fmt.Errorf("nothing behind the backslash")
			}
			original, ok := map[byte]byte{'\\': '\\', '"': '"', 'n': '\n'}[l[i]]
			if !ok {
				return "", "", fmt.Errorf(`\%c`, l[i])
			}
			b.WriteByte(original)
		default:
			b.WriteByte(c)
		}
	}
	return "", "", fmt.Errorf("no quote at the end")
}
