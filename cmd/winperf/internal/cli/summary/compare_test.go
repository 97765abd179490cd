package summary

import "testing"

func TestTolerance(t *testing.T) {
	for _, tt := range []struct {
		text string
		want tolerance
		ok   bool
	}{{"0", 0, true}, {"2.5", 2.5, true}, {"10%", 10, true}, {"-1", 0, false}, {"NaN", 0, false}, {"Inf", 0, false}, {"", 0, false}, {"a", 0, false}} {
		var v tolerance
		if err := v.Set(tt.text); (err == nil) != tt.ok || v != tt.want {
			t.Errorf("%q: %v, %v", tt.text, v, err)
		}
	}
}
