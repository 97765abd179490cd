package trial

import "math/rand/v2"

// Order is the order of runs of the variants.
type Order uint8

const (
	// Blocks runs every variant once in each block, in a new random order, so that slow changes of the
	// machine affect all alike.
	Blocks Order = iota
	// InTurn runs the variants one after the other in each block.
	InTurn
)

// Step is one run of one variant.
type Step struct {
	Number     int  `json:"number"`  // from 1, in the order of the plan
	Variant    int  `json:"variant"` // index of the variant
	Repetition int  `json:"repetition"`
	Warmup     bool `json:"warmup,omitempty"` // is not counted
}

// DrawSeed returns a random seed for Plan, below 2^53, so that programs with JavaScript numbers, such as
// jq, read it exactly.
func DrawSeed() uint64 { return 1 + rand.Uint64N(1<<53-1) }

// Plan returns the runs: warm-ups of each variant, then repetitions of each. The same seed gives the same
// order.
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
