package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Parse parses the blocks of a table. The error is a winperf.DataError with the line.
func Parse(name, text string) ([]Block, error) {
	p := parser{name: name}
	for line := range strings.Lines(text) {
		p.line++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.take(line); err != nil {
			return nil, problem(name, p.line, err.Error())
		}
	}
	if err := p.end(); err != nil {
		return nil, problem(name, p.line, err.Error())
	}
	return p.blocks, nil
}

type parser struct {
	name   string
	line   int
	block  Block // the open block; none if Collector is empty
	blocks []Block
}

// take parses a line: the end of a block, a word of its head, or a row.
func (p *parser) take(line string) error {
	if line == "" {
		return p.end()
	}
	if strings.Contains(line, "|") {
		return p.row(line)
	}
	if len(p.block.Rows) > 0 {
		return fmt.Errorf("%q after the rows of a block: an empty line ends it", line)
	}

	word, value, _ := strings.Cut(line, " ")
	value = strings.TrimSpace(value)
	if word != "collector" && p.block.Collector == "" {
		return fmt.Errorf("a block begins with collector, not with %q", line)
	}
	return p.head(word, value)
}

// alone are the words without a value.
var alone = []string{"one", "total", "facts", "exporter", "absent"}

func (p *parser) head(word, value string) (err error) {
	b := &p.block
	switch {
	case slices.Contains(alone, word) != (value == ""):
		return fmt.Errorf("%q has no value, or an unexpected one", word)
	case word == "collector" && b.Collector == "":
		b.Collector = value
	case word == "object" || word == "else":
		return p.object(value, word == "else")
	case word == "labels" && b.Labels == nil:
		b.Labels, err = parseLabels(value)

	case word == "one":
		b.One = true
	case word == "total":
		b.Total = true
	case word == "facts":
		b.Kind = Facts
	case word == "exporter":
		b.Kind = Exporter
	case word == "absent":
		b.Kind = Absent

	default:
		return fmt.Errorf("%q is unknown in a block, or duplicate", word)
	}
	return err
}

// object parses the name of an object and its labels in braces.
func (p *parser) object(value string, otherwise bool) error {
	name, labels, braces := strings.Cut(value, "{")
	o := Object{Name: strings.TrimSpace(name), Else: otherwise}
	if otherwise && len(p.block.Objects) == 0 {
		return fmt.Errorf("else before the first object")
	}

	if braces {
		labels, closed := strings.CutSuffix(labels, "}")
		if !closed {
			return fmt.Errorf("no } after the labels of %s", o.Name)
		}
		var err error
		if o.Labels, err = parsePairs(labels); err != nil {
			return err
		}
	}
	p.block.Objects = append(p.block.Objects, o)
	return nil
}

// parseLabels parses the rules for the labels of an instance.
func parseLabels(text string) (ls []Label, err error) {
	pairs, err := parsePairs(text)
	if err != nil {
		return nil, err
	}

	for _, p := range pairs {
		l := Label{Name: p.Name}
		text, isUser := strings.CutPrefix(p.Value, "user ")
		counters, isValue := strings.CutPrefix(text, "[")
		key, isAfter := strings.CutPrefix(p.Value, "after ")
		rule, known := rules[p.Value]
		switch {
		case isValue && strings.HasSuffix(counters, "]"):
			l.Rule, l.Counters = Value, strings.Split(strings.TrimSuffix(counters, "]"), " or ")
			if isUser {
				l.Rule = User
			}
		case isAfter:
			l.Rule, l.Key = After, key
		case known:
			l.Rule = rule
		default:
			return nil, fmt.Errorf("%q is not a label rule", p.Value)
		}
		ls = append(ls, l)
	}
	return ls, nil
}

// parsePairs parses NAME=VALUE, NAME=VALUE.
func parsePairs(text string) (ps []Pair, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE", strings.TrimSpace(part))
		}
		if slices.ContainsFunc(ps, func(p Pair) bool { return p.Name == name }) {
			return nil, fmt.Errorf("duplicate label %s", name)
		}
		ps = append(ps, Pair{name, value})
	}
	return ps, nil
}

func (p *parser) row(line string) error {
	if p.block.Collector == "" {
		return fmt.Errorf("a row outside a block")
	}

	fields := strings.Split(line, "|")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	if len(fields) < 4 || len(fields) > 6 {
		return fmt.Errorf("expected a row of four to six fields, found %d", len(fields))
	}
	fields = append(fields, "", "")[:6]
	if len(fields[1]) != 1 || !strings.Contains("GCI", fields[1]) {
		return fmt.Errorf("%q is not a type: expected G, C or I", fields[1])
	}

	r := Row{Metric: fields[0], Type: fields[1][0], Unit: fields[5], Line: p.line}
	var err error
	if p.block.Kind == Counters {
		err = r.counters(fields[2], fields[3], fields[4])
	} else {
		err = r.textRow(fields[2], fields[3], fields[4])
	}
	p.block.Rows = append(p.block.Rows, r)
	return err
}

// counters parses the fields of a row with counters.
func (r *Row) counters(labels, counters, conversion string) (err error) {
	if labels != "" {
		if r.Labels, err = parsePairs(labels); err != nil {
			return err
		}
	}
	var takes int
	if r.Convert, takes, err = parseConversion(conversion); err != nil {
		return err
	}

	switch {
	case takes == 2:
		r.Counters = strings.Split(counters, " + ")
	case counters != "":
		first, other, _ := strings.Cut(counters, " or ")
		r.Counters, r.Else = []string{first}, other
	}
	if len(r.Counters) != takes {
		return fmt.Errorf("%q needs %d counters, found %d", conversion, takes, len(r.Counters))
	}
	return nil
}

// textRow parses the fields of a row without counters: label names and a text.
func (r *Row) textRow(labels, text, conversion string) error {
	if text == "" || conversion != "" {
		return fmt.Errorf("a row without counters needs a text and no conversion")
	}
	if labels != "" {
		for name := range strings.SplitSeq(labels, ",") {
			r.Labels = append(r.Labels, Pair{Name: strings.TrimSpace(name)})
		}
	}
	r.Counters = []string{text}
	return nil
}

// parseConversion parses an operation with its factor: "*1024", "base *1048576", "start 0.001". It
// also returns the number of its counters.
func parseConversion(text string) (c Conversion, counters int, err error) {
	c = Conversion{Times: 1, Over: 1}
	word, factor := text, ""
	if i := strings.IndexAny(text, "*/0123456789"); i >= 0 {
		word, factor = strings.TrimSpace(text[:i]), text[i:]
	}

	counters = 1
	if word != "" {
		op, known := ops[word]
		if !known {
			return c, 0, fmt.Errorf("%q is not a conversion", word)
		}
		c.Op, counters = op.op, op.counters
	}
	if factor != "" {
		c.Times, c.Over, err = parseFactor(factor)
	}
	return c, counters, err
}

// parseFactor parses *N, /N or N.
func parseFactor(text string) (times, over float64, err error) {
	number, divides := strings.CutPrefix(text, "/")
	if !divides {
		number = strings.TrimPrefix(number, "*")
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || !(f > 0) || math.IsInf(f, 0) {
		return 0, 0, fmt.Errorf("%q is not a factor", text)
	}

	if divides {
		return 1, f, nil
	}
	return f, 1, nil
}

func (p *parser) end() error {
	b := p.block
	p.block = Block{}
	switch {
	case b.Collector == "":
		return nil
	case len(b.Rows) == 0:
		return fmt.Errorf("the block of %s has no rows", b.Collector)
	case (b.Kind == Counters) != (len(b.Objects) > 0):
		return fmt.Errorf("the block of %s has no object, or an unexpected one", b.Collector)
	case (b.One || b.Total) && b.Labels != nil:
		return fmt.Errorf("a block with one or total cannot have labels")
	}
	p.blocks = append(p.blocks, b)
	return nil
}
