package counter

import "strings"

// FormulaID names one of the formulas that turn raw samples into a displayable
// value. Several types share a formula and differ in clock, base or width.
type FormulaID uint8

// The formulas. What they compute is [FormulaID.Text].
const (
	NoFormula FormulaID = iota // an unknown type
	FormulaA                   // raw count
	FormulaA2                  // raw count in thousandths
	FormulaA3                  // raw double
	FormulaB                   // difference
	FormulaC                   // rate
	FormulaD                   // timer
	FormulaE                   // inverse timer
	FormulaF1                  // multi-timer that one reading multiplies by the time base
	FormulaF2                  // multi-timer
	FormulaG                   // inverse multi-timer
	FormulaH                   // queue length
	FormulaI                   // fraction
	FormulaJ                   // fraction of events
	FormulaK                   // time per event
	FormulaL                   // amount per event
	FormulaM                   // precision timer
	FormulaO                   // elapsed time
	FormulaP                   // nothing is computed: text and headings
	FormulaQ                   // base: has no value of its own
	FormulaR                   // histogram: supported nowhere
)

// Operands is the set of numbers that a formula needs.
type Operands uint8

// The operands, by the letters that formula texts use. 1 is the newer and 0
// the older sample.
const (
	OperandN0 Operands = 1 << iota // raw value
	OperandN1
	OperandD0 // time of the clock, in ticks
	OperandD1
	OperandB0 // raw value of the base
	OperandB1
	OperandM1 // number of components of a multi-timer
	OperandTB // time base: ticks per second of the clock
)

var operandNames = [...]string{"N0", "N1", "D0", "D1", "B0", "B1", "M1", "TB"}

// String returns the operands' letters, such as "N0 N1 D0 D1 TB".
func (o Operands) String() string {
	var names []string
	for i, name := range operandNames {
		if o&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Groups of operands that formulas have in common.
const (
	values = OperandN0 | OperandN1
	times  = OperandD0 | OperandD1
	bases  = OperandB0 | OperandB1
)

// formulas says what each formula computes (Microsoft Learn, Calculating
// Counter Values) and from what.
var formulas = [...]struct {
	name, text string
	operands   Operands
}{
	NoFormula: {"", "", 0},
	FormulaA:  {"A", "N1", OperandN1},
	FormulaA2: {"A2", "N1 / 1000", OperandN1},
	FormulaA3: {"A3", "N1 as a double", OperandN1},
	FormulaB:  {"B", "N1 - N0", values},
	FormulaC:  {"C", "(N1 - N0) / ((D1 - D0) / TB)", values | times | OperandTB},
	FormulaD:  {"D", "100 * (N1 - N0) / (D1 - D0)", values | times},
	FormulaE:  {"E", "100 * (1 - (N1 - N0) / (D1 - D0))", values | times},
	FormulaF1: {"F1", "100 * (N1 - N0) / (D1 - D0) / M1", values | times | OperandM1},
	FormulaF2: {"F2", "100 * (N1 - N0) / (D1 - D0) / M1", values | times | OperandM1},
	FormulaG:  {"G", "100 * (M1 - (N1 - N0) / (D1 - D0))", values | times | OperandM1},
	FormulaH:  {"H", "(N1 - N0) / (D1 - D0)", values | times},
	FormulaI:  {"I", "100 * N1 / B1", OperandN1 | OperandB1},
	FormulaJ:  {"J", "100 * (N1 - N0) / (B1 - B0)", values | bases},
	FormulaK:  {"K", "((N1 - N0) / TB) / (B1 - B0)", values | bases | OperandTB},
	FormulaL:  {"L", "(N1 - N0) / (B1 - B0)", values | bases},
	FormulaM:  {"M", "100 * (N1 - N0) / (B1 - B0)", values | bases},
	FormulaO:  {"O", "(D1 - N1) / TB", OperandN1 | OperandD1 | OperandTB},
	FormulaP:  {"P", "", 0},
	FormulaQ:  {"Q", "", 0},
	FormulaR:  {"R", "", 0},
}

// String returns the formula's letter; "" for NoFormula.
func (id FormulaID) String() string { return formulas[id.known()].name }

// Text returns the formula as text, with the letters of [Operands]; "" where
// nothing is computed.
func (id FormulaID) Text() string { return formulas[id.known()].text }

// Operands returns what the formula needs.
func (id FormulaID) Operands() Operands { return formulas[id.known()].operands }

// known returns NoFormula for a number that is no formula.
func (id FormulaID) known() FormulaID {
	if int(id) < len(formulas) {
		return id
	}
	return NoFormula
}
