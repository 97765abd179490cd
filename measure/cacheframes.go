package measure

import (
	"context"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// FrameQuery is implemented by queries whose samples several users share, such
// as those of package cache. A [Context] takes such samples through Take and
// Frame, in place of Sample into a frame of its own: an object then has the
// clocks of the sample that it was taken with (see frame.Object.Clocks), frames
// are decoded once for all, and columns of the same two frames cooked once.
type FrameQuery interface {
	winperf.Query
	// Take takes a sample of all that is selected and decodes nothing. It belongs
	// to the sample stage.
	Take(ctx context.Context) error
	// Frame decodes what Take took, as far as nobody did, and returns it; whoever
	// calls it is to release it. It belongs to the decode stage. The error
	// tells that nothing could be read, or wraps winperf.ErrState where Take did
	// not come before; any other damage is the frame's.
	Frame() (frame.Frame, error)
}
