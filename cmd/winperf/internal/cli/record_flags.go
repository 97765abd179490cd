package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/logs"
)

// byteSize is a number of bytes: megabytes, or with a unit, as 500K, 100M, 2G.
type byteSize int64

// String returns the size with its unit; nothing where there is none.
func (v *byteSize) String() string {
	if *v == 0 {
		return ""
	}
	return formatSize(int64(*v))
}

// Type names the value in help texts.
func (v *byteSize) Type() string { return "SIZE" }

var errSize = errors.New("expected a size such as 100 (megabytes), 500K, 100M or 2G")

// sizeUnits are what may stand behind a size, as powers of 1024.
var sizeUnits = map[string]float64{
	"": 2, "B": 0, "K": 1, "KB": 1, "KIB": 1, "M": 2, "MB": 2, "MIB": 2,
	"G": 3, "GB": 3, "GIB": 3, "T": 4, "TB": 4, "TIB": 4,
}

// Set reads the value.
func (v *byteSize) Set(s string) error {
	digits := strings.TrimRight(s, "bBiIkKmMgGtT ")
	power, known := sizeUnits[strings.ToUpper(strings.TrimSpace(s[len(digits):]))]
	n, err := strconv.ParseFloat(digits, 64)
	bytes := n * math.Pow(1024, power)
	if err != nil || !known || !(bytes >= 1 && bytes <= 1<<60) {
		return errSize
	}
	*v = byteSize(bytes)
	return nil
}

// formatSize is such as 24.5 KB.
func formatSize(n int64) string {
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

// limitAction is what is to be done when a file has reached its limit.
type limitAction string

// String returns the word.
func (v *limitAction) String() string { return string(*v) }

// Type names the value in help texts.
func (v *limitAction) Type() string { return "WHAT" }

// Set reads the value.
func (v *limitAction) Set(s string) error {
	switch s = strings.ToLower(s); s {
	case logs.Stop, logs.New, logs.Circular:
		*v = limitAction(s)
		return nil
	}
	return fmt.Errorf("expected %s, %s or %s", logs.Stop, logs.New, logs.Circular)
}

// nameSuffix is the part that logman puts at the end of file names.
type nameSuffix string

// String returns the form.
func (v *nameSuffix) String() string { return string(*v) }

// Type names the value in help texts.
func (v *nameSuffix) Type() string { return "FORM" }

// suffixes are the forms of logman's -v, as patterns of names.
var suffixes = map[string]string{"nnnnnn": "_{serial}", "mmddhhmm": "_{mmddhhmm}"}

// Set reads the value.
func (v *nameSuffix) Set(s string) error {
	if suffixes[strings.ToLower(s)] == "" {
		return errors.New("expected nnnnnn or mmddhhmm")
	}
	*v = nameSuffix(strings.ToLower(s))
	return nil
}

// elapsed is such as 1:02:03.
func elapsed(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
