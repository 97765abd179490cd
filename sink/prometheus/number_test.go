package prometheus

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf/sink/metrics"
)

// TestAppendUint compares with the standard library, which knows how numbers are written.
func TestAppendUint(t *testing.T) {
	check := func(v uint64) {
		t.Helper()
		if got := string(appendUint([]byte("x"), v)); got != "x"+strconv.FormatUint(v, 10) {
			t.Errorf("%d is written as %q", v, got)
		}
	}
	check(0)
	check(math.MaxUint64)
	for p := uint64(1); ; p *= 10 {
		for _, v := range []uint64{p - 1, p, p + 1, p*9 + 9} {
			check(v)
		}
		if p > math.MaxUint64/10 {
			break
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		check(r.Uint64() >> r.IntN(64))
	}
}

func TestAppendTicks(t *testing.T) {
	for ticks, want := range map[uint64]string{
		0: "0", 1: "0.0000001", 10: "0.000001", 5_000_000: "0.5", 9_999_999: "0.9999999", 10_000_000: "1",
		12_345_678_901: "1234.5678901", 10_000_100: "1.00001", math.MaxUint64: "1844674407370.9551615",
	} {
		if got := string(appendTicks(nil, ticks)); got != want {
			t.Errorf("%d ticks are written as %q, want %q", ticks, got, want)
		}
	}

	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		ticks := r.Uint64() >> r.IntN(64)
		want := strconv.FormatUint(ticks/1e7, 10) + "." + strconv.FormatUint(1e7+ticks%1e7, 10)[1:]
		want = strings.TrimRight(strings.TrimRight(want, "0"), ".")
		if ticks < 1e7 && want == "" {
			want = "0"
		} else if ticks%1e7 == 0 {
			want = strconv.FormatUint(ticks/1e7, 10)
		}
		if got := string(appendTicks(nil, ticks)); got != want {
			t.Fatalf("%d ticks are written as %q, want %q", ticks, got, want)
		}
	}
}

// A number is read as exactly what it was, and is no longer than the shortest one that is,
// but for exponents.
func TestAppendFloat(t *testing.T) {
	check := func(f float64) {
		t.Helper()
		got := string(appendFloat(nil, f))
		back, err := strconv.ParseFloat(got, 64)
		if err != nil || math.Float64bits(back) != math.Float64bits(f) {
			t.Errorf("%v is written as %q", f, got)
		}
		if short := strconv.FormatFloat(f, 'f', -1, 64); len(got) > len(short) && len(got) > maxNumber {
			t.Errorf("%s is written as %s", short, got)
		}
	}
	for _, f := range []float64{
		0, math.Copysign(0, -1), 1, 0.5, 0.1, 0.123, 0.1234, 12.5, 1e15, 1e15 - 0.5, 1e21, 1e22, 1 << 53, 1<<53 - 1,
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxInt64, math.MaxUint64, 1e-7, 999999999999.999, 0.0005,
		math.Inf(1), math.Inf(-1), 1.0 / 3,
	} {
		check(f)
		check(-f)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		check(math.Float64frombits(r.Uint64() &^ (1 << 62))) // no NaN
		check(math.Round(r.NormFloat64()*1e6) / 1000)
	}
	for f, want := range map[float64]string{
		0.25: "0.25", -1.5: "-1.5", 1000: "1000", 0.001: "0.001", 1e-9: "1e-09", 123456.789: "123456.789",
		math.Inf(1): "+Inf", math.Inf(-1): "-Inf", 2.5e300: "2.5e+300",
	} {
		if got := string(appendFloat(nil, f)); got != want {
			t.Errorf("%v is written as %q, want %q", f, got, want)
		}
	}
	if got := string(appendValue(nil, metrics.Float, math.Float64bits(math.NaN()))); got != "NaN" {
		t.Errorf("what is no number is written as %q", got)
	}
}

// TestAppendSeconds reads times as Prometheus does.
func TestAppendSeconds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 50_000 {
		milli := r.Int64N(4e12)
		if n%10 == 0 {
			milli = -milli / 100
		}
		text := string(appendSeconds(nil, milli))
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || int64(f*1000) != milli {
			t.Fatalf("%d ms are written as %q, which Prometheus reads as %d", milli, text, int64(f*1000))
		}
		if whole, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(whole-float64(milli)/1000) > 2e-6 {
			t.Fatalf("%d ms are written as %q", milli, text)
		}
	}
}
