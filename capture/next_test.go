package capture

import (
	"context"

	"github.com/winperf/winperf"
)

// next reads a sample of one block into raw, whose memory stays its own.
func next(ctx context.Context, c *Cursor, raw *winperf.Raw) error {
	var s winperf.Sample
	err := c.Next(ctx, &s)
	if err != nil {
		return err
	}
	one, err := s.Raw()
	if err == nil {
		*raw = *one
	}
	return err
}
