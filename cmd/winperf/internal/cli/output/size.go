package output

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ByteSize is a number of bytes: megabytes, or with a unit, such as 500K, 100M, 2G.
type ByteSize int64

// String returns the size with its unit, or "" for 0.
func (v *ByteSize) String() string {
	if *v == 0 {
		return ""
	}
	return FormatSize(int64(*v))
}

// Type names the value in help texts.
func (v *ByteSize) Type() string { return "SIZE" }

var errSize = errors.New("expected a size such as 100 (megabytes), 500K, 100M or 2G")

// sizeUnits are the units of a size, as powers of 1024.
var sizeUnits = map[string]float64{
	"": 2, "B": 0, "K": 1, "KB": 1, "KIB": 1, "M": 2, "MB": 2, "MIB": 2,
	"G": 3, "GB": 3, "GIB": 3, "T": 4, "TB": 4, "TIB": 4,
}

// Set reads the value.
func (v *ByteSize) Set(s string) error {
	digits := strings.TrimRight(s, "bBiIkKmMgGtT ")
	power, known := sizeUnits[strings.ToUpper(strings.TrimSpace(s[len(digits):]))]
	n, err := strconv.ParseFloat(digits, 64)
	bytes := n * math.Pow(1024, power)
	if err != nil || !known || !(bytes >= 1 && bytes <= 1<<60) {
		return errSize
	}
	*v = ByteSize(bytes)
	return nil
}

// FormatSize returns a size such as 24.5 KB.
func FormatSize(n int64) string {
	const step = 1024
	if n < step {
		return fmt.Sprintf("%d bytes", n)
	}
	size, unit := float64(n), 0
	for ; size >= step && unit < 4; unit++ {
		size /= step
	}
	return fmt.Sprintf("%.1f %cB", size, " KMGT"[unit])
}
