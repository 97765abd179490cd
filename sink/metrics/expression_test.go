package metrics

import (
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"text/scanner"

	"github.com/winperf/winperf/counter"
)

// evaluator computes a documented expression of one instance over two samples, exactly.
// In place of the seconds that rate looks at it takes those that the formula's own
// clock tells.
type evaluator struct {
	expression   string
	prev, cur    func(metric string) (*big.Float, error) // x_seconds_total
	elapsed, now *big.Float                              // seconds
}

// evaluate returns nil where the expression divides by zero.
func (e *evaluator) evaluate() (v *big.Float, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case big.ErrNaN:
			v, err = nil, nil
		case error:
			v, err = nil, r
		}
	}()
	p := parser{evaluator: e}
	p.scan.Init(strings.NewReader(e.expression))
	p.next()
	v = p.sum()
	if p.token != scanner.EOF {
		return nil, fmt.Errorf("%s: %q is left", e.expression, p.scan.TokenText())
	}
	if v.IsInf() {
		return nil, nil
	}
	return v, nil
}

type parser struct {
	*evaluator
	scan  scanner.Scanner
	token rune
}

func (p *parser) next() { p.token = p.scan.Scan() }

func exact() *big.Float { return new(big.Float).SetPrec(200) }

func (p *parser) sum() *big.Float {
	v := p.product()
	for {
		switch p.token {
		case '+':
			p.next()
			v = exact().Add(v, p.product())
		case '-':
			p.next()
			v = exact().Sub(v, p.product())
		default:
			return v
		}
	}
}

func (p *parser) product() *big.Float {
	v := p.operand()
	for {
		switch p.token {
		case '*':
			p.next()
			v = exact().Mul(v, p.operand())
		case '/':
			p.next()
			v = exact().Quo(v, p.operand())
		default:
			return v
		}
	}
}

func (p *parser) operand() *big.Float {
	text := p.scan.TokenText()
	switch p.token {
	case scanner.Int:
		p.next()
		v, _ := exact().SetString(text)
		return v
	case '(':
		p.next()
		v := p.sum()
		p.want(')')
		return v
	case scanner.Ident:
		p.next()
		if p.token == '(' {
			return p.call(text)
		}
		return p.read(p.cur, text)
	}
	panic(fmt.Errorf("%s: %q is no operand", p.expression, text))
}

func (p *parser) want(token rune) {
	if p.token != token {
		panic(fmt.Errorf("%s: %q, want %c", p.expression, p.scan.TokenText(), token))
	}
	p.next()
}

func (p *parser) read(from func(string) (*big.Float, error), metric string) *big.Float {
	v, err := from(metric)
	if err != nil {
		panic(err)
	}
	return v
}

// call computes rate, increase and time.
func (p *parser) call(name string) *big.Float {
	p.want('(')
	if name == "time" {
		p.want(')')
		return p.now
	}

	metric := p.scan.TokenText()
	p.want(scanner.Ident)
	p.want(')')
	v := exact().Sub(p.read(p.cur, metric), p.read(p.prev, metric))
	switch name {
	case "rate":
		return v.Quo(v, p.elapsed)
	case "increase":
		return v
	}
	panic(fmt.Errorf("%s: there is no function %s here", p.expression, name))
}

func TestEvaluator(t *testing.T) {
	read := func(f float64) func(string) (*big.Float, error) {
		return func(string) (*big.Float, error) { return exact().SetFloat64(f), nil }
	}
	for expression, want := range map[string]string{
		"100 * (1 - rate(x_total))":       "-700",
		"increase(x) / x":                 "0.66666666666666666667",
		"time() - x":                      "94",
		"x / (increase(x) - 4)":           "",
		"1 - 2 - 3 * 2 / 4":               "-2.5",
		"rate(x_sum)/rate(x_count) + 0":   "1",
		"(increase(x) - 4) / (4 - 2 - 2)": "",
	} {
		e := evaluator{expression, read(2), read(6), exact().SetFloat64(0.5), exact().SetInt64(100)}
		v, err := e.evaluate()
		got := ""
		if v != nil {
			got = v.Text('g', 20)
		}
		if err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", expression, got, err, want)
		}
	}
	for _, bad := range []string{"", "x x", "(x", "deriv(x)", "rate(1)", "rate(x"} {
		e := evaluator{bad, read(2), read(6), exact().SetInt64(1), exact()}
		if v, err := e.evaluate(); err == nil {
			t.Errorf("%q = %v, want an error", bad, v)
		}
	}
}

// Every type that has a displayed value becomes a metric with an expression, and no
// other does.
func TestMappingsAreWhole(t *testing.T) {
	for info := range counter.Types() {
		wants := info.Samples > 0 && !info.Type.IsBase() || info.Type.IsText()
		if got := Expression(info.Type) != ""; got != wants {
			t.Errorf("%s: has an expression: %v, want %v", info.Name, got, wants)
		}
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[counter.Type]bool{}
	for i := range formulas {
		m := &formulas[i].mapping
		if !m.Types[0].IsText() && !strings.Contains(string(doc), " "+m.Expression+"\n") {
			t.Errorf("the package's documentation lacks %s", m.Expression)
		}
		for _, typ := range m.Types {
			if seen[typ] {
				t.Errorf("%v stands twice", typ)
			}
			seen[typ] = true
		}
		for _, f := range m.Families {
			if !strings.Contains(m.Expression, "x"+f.Suffix) {
				t.Errorf("%s does not use x%s", m.Expression, f.Suffix)
			}
		}
	}
}
