package experiment

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/safetext"
)

// Lines emits an event for each line of a reader, such as standard input, a named pipe or a socket.
// Programs in any language can use it. A line is either the name of the event followed by attributes, or a
// JSON object with name and attrs:
//
//	checkout items=3 user="Ann Lee"
//	{"name":"checkout","attrs":{"items":3,"user":"Ann Lee"}}
//
// A region has a line for its begin and one for its end with the same id. Both may have attributes:
//
//	checkout region=begin id=17 items=3
//	checkout region=end id=17
//	{"name":"checkout","region":"begin","id":"17"}
//
// If regions are open when the lines end, they end with the attribute "unended". The event of a last text
// line without a line end also has this attribute, because the line may be incomplete.
//
// Unquoted attribute values that look like whole or decimal numbers, true or false have these types.
// Others are text, quoted as in Go if they contain spaces. Empty lines are ignored. Each invalid line
// makes a Change record with the reason, for the first 100; a last record counts the others.
type Lines struct {
	Name   string
	Reader io.Reader
	// Ack, if not nil, gets one line for each line. "ok" means that the samples of the event have begun, or
	// for the begin of a region that they are complete. "error" is followed by the reason. Programs can
	// wait for the answer.
	Ack io.Writer
	// Max is the longest line in bytes; 0 means 65,536.
	Max int
	// From describes Reader for people: the path of a pipe.
	From string
}

// Describe implements [EventSource].
func (l Lines) Describe() EventSourceInfo {
	return EventSourceInfo{Name: l.Name, Kind: "lines", Detail: l.From}
}

func (l Lines) check() error {
	if l.Reader == nil {
		return errors.New("expected something to read lines from")
	}
	return nil
}

// Run implements [EventSource]. It returns when ctx ends; a blocked read is interrupted if the reader has
// deadlines, as pipes and sockets do.
func (l Lines) Run(ctx context.Context, out *Emitter) error {
	read := lineReader{lines: l, out: out, regions: map[string]lineRegion{}}
	defer read.reportRest()
	ended := make(chan error, 1)
	go func() { ended <- read.run(ctx) }()
	select {
	case err := <-ended:
		if ctx.Err() != nil {
			return nil
		}
		return err
	case <-ctx.Done():
		if d, ok := l.Reader.(interface{ SetDeadline(time.Time) error }); ok {
			_ = d.SetDeadline(time.Unix(1, 0)) // files without deadlines return an error
		}
		return nil
	}
}

const (
	maxLine        = 1 << 16
	maxLineRegions = 10_000
	maxLineBytes   = 4 << 20 // of the begin lines of open regions
	maxBadLines    = 100
)

type lineReader struct {
	lines   Lines
	out     *Emitter
	number  int
	bad     atomic.Int64
	regions map[string]lineRegion
	held    int
}

type lineRegion struct {
	OpenRegion
	size int
}

func (r *lineReader) run(ctx context.Context) error {
	size := r.lines.Max
	if size <= 0 {
		size = maxLine
	}
	in := bufio.NewReaderSize(r.lines.Reader, max(16, size+len("\n")))

	for ctx.Err() == nil {
		r.number++
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			err = skipLine(in)
			r.refuse(ctx, r.wrong("the line is longer than %d bytes", size))
		case len(bytes.TrimSpace(line)) > 0:
			r.take(ctx, line, err == nil)
		}

		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) || ctx.Err() == nil {
			r.endAll() // also when a killed client left answers unread, which breaks the connection
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("reading lines: %w", err)
	}
	return nil
}

func (r *lineReader) endAll() {
	for _, key := range slices.Sorted(maps.Keys(r.regions)) {
		r.regions[key].finish([]Attr{{"unended", true}}, atBegin)
	}
	clear(r.regions)
}

func skipLine(in *bufio.Reader) error {
	for {
		_, err := in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// byteOrderMark begins the output of some programs on Windows.
const byteOrderMark = "\ufeff"

// take emits the event of a line. whole is false for a line without a line end.
func (r *lineReader) take(ctx context.Context, line []byte, whole bool) {
	line = bytes.TrimSpace(line)
	if r.number == 1 {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	l, err := parseLine(line)
	if err == nil && !whole && line[0] != '{' {
		l.attrs = append(l.attrs, Attr{"unended", true})
	}
	if err == nil {
		err = r.emit(ctx, &l, len(line))
	}
	if err != nil {
		r.refuse(ctx, r.wrong("%s", err))
		return
	}
	r.answer("ok\n")
}

func (r *lineReader) emit(ctx context.Context, l *eventLine, size int) error {
	key := l.name + "\x00" + l.id
	open, isOpen := r.regions[key]
	switch {
	case l.region == "":
		r.out.Event(ctx, l.name, l.attrs...)

	case l.region == "begin" && isOpen:
		return fmt.Errorf("a region %q with the id %q is open already", l.name, l.id)
	case l.region == "begin" && (len(r.regions) >= maxLineRegions || r.held+size > maxLineBytes):
		return fmt.Errorf("too many open regions (%d)", len(r.regions))
	case l.region == "begin":
		r.held += size
		r.regions[key] = lineRegion{r.out.Region(ctx, l.name, l.attrs...), size}

	case !isOpen:
		return fmt.Errorf("no region %q with the id %q is open", l.name, l.id)
	default:
		delete(r.regions, key)
		r.held -= open.size
		open.finish(l.attrs, atBegin)
	}

	return nil
}

func (r *lineReader) wrong(format string, args ...any) error {
	return &winperf.DataError{
		Source: r.lines.Name, Offset: -1, Line: r.number, Msg: fmt.Sprintf(format, args...),
	}
}

func (r *lineReader) refuse(ctx context.Context, err error) {
	r.answer("error " + safetext.Line(err.Error()) + "\n")
	if r.bad.Add(1) <= maxBadLines && ctx.Err() == nil {
		r.out.experiment.recordChange("line refused", Attr{"source", r.lines.Name}, Attr{"error", err.Error()})
	}
}

func (r *lineReader) reportRest() {
	if more := r.bad.Load() - maxBadLines; more > 0 {
		r.out.experiment.recordChange("more lines refused", Attr{"source", r.lines.Name}, Attr{"lines", more})
	}
}

// answer writes an answer to Ack. After an error it writes no more.
func (r *lineReader) answer(text string) {
	if r.lines.Ack == nil {
		return
	}
	if _, err := io.WriteString(r.lines.Ack, text); err != nil {
		r.lines.Ack = nil
	}
}
