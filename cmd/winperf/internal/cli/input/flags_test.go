package input

import (
	"testing"
	"time"
)

func TestInterval(t *testing.T) {
	tests := []struct {
		in   string
		want time.Duration // 0: an error
	}{
		{"1", time.Second},
		{"0.5", 500 * time.Millisecond},
		{"500ms", 500 * time.Millisecond},
		{"1m30s", 90 * time.Second},
		{"1:30", 90 * time.Second},
		{"01:00:05", 3605 * time.Second},
		{"0:0.25", 250 * time.Millisecond},
		{"8784h", maxInterval},
		{"1ms", minInterval},
		{"0", 0}, {"0.0001", 0}, {"8785h", 0}, {"1e99", 0}, {"9999999:0:0", 0},
		{"-1", 0}, {"-1s", 0}, {"1:-5", 0}, {"1:2:3:4", 0},
		{"", 0}, {":", 0}, {"x", 0}, {"NaN", 0}, {"Inf", 0}, {"1 s", 0},
	}
	for _, test := range tests {
		got, err := parseInterval(test.in)
		if got != test.want || (err == nil) != (test.want != 0) {
			t.Errorf("%q: %v, %v; want %v", test.in, got, err, test.want)
		}
	}
}

func FuzzInterval(f *testing.F) {
	for _, s := range []string{"1", "0:1", "1:2:3", "500ms", "1e3", "-0", "1:NaN", "9223372036s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := parseInterval(s)
		if err == nil && (d < minInterval || d > maxInterval) {
			t.Errorf("%q gives %v", s, d)
		}
		if err != nil && d != 0 {
			t.Errorf("%q gives %v and %v", s, d, err)
		}
	})
}
