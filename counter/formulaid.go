package counter

// formulaID is one of the formulas for displayable values. Types that share a formula differ in
// clock, base or width.
type formulaID uint8

// The formulas. [Info.Formula] returns the text of each.
const (
	noFormula formulaID = iota // an unknown type
	formulaA                   // raw count
	formulaA2                  // raw count in thousandths
	formulaA3                  // raw double
	formulaB                   // difference
	formulaC                   // rate
	formulaD                   // timer
	formulaE                   // inverse timer
	formulaF1                  // multi-timer; some documents multiply it by the time base
	formulaF2                  // multi-timer
	formulaG                   // inverse multi-timer
	formulaH                   // queue length
	formulaI                   // fraction
	formulaJ                   // fraction of events
	formulaK                   // time per event
	formulaL                   // amount per event
	formulaM                   // precision timer
	formulaO                   // elapsed time
	formulaP                   // no computation: text and headings
	formulaQ                   // base: has no displayable value
	formulaR                   // histogram: unsupported everywhere
)

// operandSet is the set of operands of a formula.
type operandSet uint8

// The operands, with the letters of formula texts. 1 is the newer and 0 the older sample.
const (
	operandN0 operandSet = 1 << iota // raw value
	operandN1
	operandD0 // time of the clock, in ticks
	operandD1
	operandB0 // raw value of the base
	operandB1
	operandM1 // number of components of a multi-timer
	operandTB // time base: ticks per second of the clock
)

// Groups of operands.
const (
	values = operandN0 | operandN1
	times  = operandD0 | operandD1
	bases  = operandB0 | operandB1
)

// formulas lists the text and operands of each formula (Microsoft Learn, Calculating Counter
// Values).
var formulas = [...]struct {
	text     string
	operands operandSet
}{
	noFormula: {"", 0},
	formulaA:  {"N1", operandN1},
	formulaA2: {"N1 / 1000", operandN1},
	formulaA3: {"N1 as a double", operandN1},
	formulaB:  {"N1 - N0", values},
	formulaC:  {"(N1 - N0) / ((D1 - D0) / TB)", values | times | operandTB},
	formulaD:  {"100 * (N1 - N0) / (D1 - D0)", values | times},
	formulaE:  {"100 * (1 - (N1 - N0) / (D1 - D0))", values | times},
	formulaF1: {"100 * (N1 - N0) / (D1 - D0) / M1", values | times | operandM1},
	formulaF2: {"100 * (N1 - N0) / (D1 - D0) / M1", values | times | operandM1},
	formulaG:  {"100 * (M1 - (N1 - N0) / (D1 - D0))", values | times | operandM1},
	formulaH:  {"(N1 - N0) / (D1 - D0)", values | times},
	formulaI:  {"100 * N1 / B1", operandN1 | operandB1},
	formulaJ:  {"100 * (N1 - N0) / (B1 - B0)", values | bases},
	formulaK:  {"((N1 - N0) / TB) / (B1 - B0)", values | bases | operandTB},
	formulaL:  {"(N1 - N0) / (B1 - B0)", values | bases},
	formulaM:  {"100 * (N1 - N0) / (B1 - B0)", values | bases},
	formulaO:  {"(D1 - N1) / TB", operandN1 | operandD1 | operandTB},
	formulaP:  {"", 0},
	formulaQ:  {"", 0},
	formulaR:  {"", 0},
}

// Formula returns the formula as text, such as "(N1 - N0) / (B1 - B0)"; "" for none. N is the raw
// value, D the time of the clock, B the base and M the number of components. The digit 1 means the
// newer sample, 0 the older one. TB is the clock's ticks per second.
func (i *Info) Formula() string { return formulas[i.formula.known()].text }

// NeedsFrequency reports whether the formula needs the ticks per second of a clock.
func (i *Info) NeedsFrequency() bool { return i.formula.operands()&operandTB != 0 }

// operands returns the operands of the formula.
func (id formulaID) operands() operandSet { return formulas[id.known()].operands }

// known returns id, or noFormula for an unknown number.
func (id formulaID) known() formulaID {
	if int(id) < len(formulas) {
		return id
	}
	return noFormula
}
