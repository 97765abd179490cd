package output

import "testing"

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{
		"100": 100 << 20, "1.5G": 3 << 29, "500K": 500 << 10, "2 mb": 2 << 20, "10B": 10, "1T": 1 << 40, "3KiB": 3 << 10,
		"": -1, "0": -1, "-1": -1, "M": -1, "1X": -1, "1e300": -1, "NaN": -1, "1MM": -1,
	} {
		var v ByteSize
		if err := v.Set(text); (err == nil) != (want >= 0) || err == nil && int64(v) != want {
			t.Errorf("%q: %d, %v", text, v, err)
		}
	}
}
