package index

import "github.com/winperf/winperf"

// NewKind returns a sentinel error for a kind of damage that a codec may find. It
// wraps winperf.ErrBadData.
func NewKind(text string) error { return &kind{text} }

type kind struct{ text string }

func (k *kind) Error() string { return k.text }
func (k *kind) Unwrap() error { return winperf.ErrBadData }
