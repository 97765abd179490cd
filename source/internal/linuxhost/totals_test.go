package linuxhost

import "testing"

func TestTotals(t *testing.T) {
	const runs, mean, gauge, alone fields = 1, 2, 4, 8
	tot := totals{sums: sums{running: runs, averaged: mean, gauges: gauge}}
	a, b := &values{}, &values{}
	type given map[fields]uint64
	steps := []struct {
		name string
		a, b given // nil: not there
		want given
	}{
		{"start", given{runs: 10, mean: 10, gauge: 5, alone: 1}, given{runs: 20, mean: 30, gauge: 6},
			given{runs: 30, mean: 20, gauge: 11}},
		{"both rise", given{runs: 12, mean: 14, gauge: 1}, given{runs: 25, mean: 40, gauge: 2},
			given{runs: 37, mean: 27, gauge: 3}},
		{"b ends", given{runs: 13, mean: 16, gauge: 1}, nil, given{runs: 38, mean: 29, gauge: 1}},
		{"one is reset", given{runs: 1, mean: 1, gauge: 0}, given{runs: 30, mean: 60, gauge: 2},
			given{runs: 43, mean: 49, gauge: 2}},
		{"after the reset", given{runs: 4, mean: 7}, given{runs: 30, mean: 60}, given{runs: 46, mean: 52}},
		{"not measured", given{gauge: 9}, given{mean: 61}, given{mean: 53, gauge: 9}},
		{"measured again", given{runs: 5}, given{runs: 32}, given{runs: 49}},
		{"nothing", nil, nil, given{}},
	}
	for _, step := range steps {
		tot.begin()
		for _, in := range []struct {
			prev *values
			now  given
		}{{a, step.a}, {b, step.b}} {
			if in.now == nil {
				continue
			}
			var cur values
			for f, n := range in.now {
				cur.set(f, n)
			}
			tot.add(in.prev, &cur)
		}
		var got values
		tot.end(&got)
		for _, f := range []fields{runs, mean, gauge, alone} {
			want, there := step.want[f]
			if got.has(f) != there || got.sum(f&got.have) != want {
				t.Errorf("%s: figure %d is %d (there: %v), want %d", step.name, f, got.sum(f),
					got.has(f), want)
			}
		}
	}
}
