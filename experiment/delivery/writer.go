package delivery

import (
	"context"
	"io"

	"github.com/winperf/winperf/sink"
)

// NewWriter returns a sink that writes to w in FormatRecords or a format of package sink. Written records
// count as delivered. Close does not close w.
func NewWriter(w io.Writer, format string, o sink.Options) (Sink, error) {
	e, err := newEncoder(format, o)
	return &writerSink{w, e}, err
}

type writerSink struct {
	w      io.Writer
	format encoder
}

// Deliver implements Sink.
func (s *writerSink) Deliver(_ context.Context, batch []Item) error {
	text, err := s.format.encode(batch)
	if err == nil && len(text) > 0 {
		_, err = s.w.Write(text)
	}
	return err
}

// Late implements sink.LateCounter.
func (s *writerSink) Late() int { return lateIn(s.format) }

// Close implements Sink.
func (s *writerSink) Close(context.Context) error {
	text, err := s.format.end()
	if err == nil && len(text) > 0 {
		_, err = s.w.Write(text)
	}
	return err
}
