package trial

import "math/rand/v2"

// Order says in which order the variants of a command are run.
type Order uint8

// The orders.
const (
	// Blocks runs every variant once in each block, in an order that is drawn anew for each, so that
	// what changes slowly on the machine falls on all alike.
	Blocks Order = iota
	// InTurn runs the variants one after the other in each block.
	InTurn
)

// Step is one run of one variant.
type Step struct {
	Number     int  `json:"number"`  // from 1, in the order of the plan
	Variant    int  `json:"variant"` // position among the variants
	Repetition int  `json:"repetition"`
	Warmup     bool `json:"warmup,omitempty"` // is not counted
}

// DrawSeed draws a seed for Plan. It is below 2^53: what reads plan.json with numbers as JavaScript has them,
// as jq does, reads the same.
func DrawSeed() uint64 { return 1 + rand.Uint64N(1<<53-1) }

// Plan returns the runs of so many variants, so often each, after so many warm-ups of each. One
// seed always gives one order.
func Plan(variants, repetitions, warmups int, order Order, seed uint64) []Step {
	draw := rand.New(rand.NewPCG(seed, 0))
	steps := make([]Step, 0, variants*(repetitions+warmups))
	for block := range warmups + repetitions {
		s := Step{Repetition: block + 1, Warmup: true}
		if block >= warmups {
			s.Repetition, s.Warmup = block-warmups+1, false
		}
		for _, v := range turn(variants, order, draw) {
			s.Variant, s.Number = v, len(steps)+1
			steps = append(steps, s)
		}
	}
	return steps
}

// turn is the order of the variants within a block.
func turn(variants int, order Order, draw *rand.Rand) []int {
	if order == Blocks {
		return draw.Perm(variants)
	}
	all := make([]int, variants)
	for i := range all {
		all[i] = i
	}
	return all
}
