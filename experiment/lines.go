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

// Lines emits an event for each line that is read: standard input, a named pipe, a socket. That
// is how a program in any language takes part. A line is text, the name of the event and then
// attributes, or a JSON object, with name and with attributes in attrs:
//
//	checkout items=3 user="Ann Lee"
//	{"name":"checkout","attrs":{"items":3,"user":"Ann Lee"}}
//
// A region has a line for its begin and one for its end, with an id that both have; what ends it
// may have attributes, too. Regions that are open at the end of the lines end there, with the
// attribute unended. So has the event of a text that ends without a line end, as whoever wrote it
// may have died in the middle of a word or number; JSON that is whole tells so itself:
//
//	checkout region=begin id=17 items=3
//	checkout region=end id=17
//	{"name":"checkout","region":"begin","id":"17"}
//
// Values of text attributes that read as whole or decimal numbers, true or false are that; others
// are text, in quotes as Go has them where they hold spaces. Empty lines are nothing. A line that
// cannot be understood gives a Change record that says why, up to 100 of them; one more at the end
// counts the others.
type Lines struct {
	Name   string
	Reader io.Reader
	// Ack, where there is one, gets a line for each line: "ok" when the samples of its event are
	// begun, those of a region's begin complete, or "error" and why. So a program can wait.
	Ack io.Writer
	// Max is how long a line may be, in bytes; 0 means 65,536.
	Max int
	// From says what Reader reads, for people: the path of a pipe.
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

// Run implements [EventSource]. At the end of ctx it waits no longer for the reader; a read that is
// under way is interrupted where the reader has deadlines, as pipes and sockets have.
func (l Lines) Run(ctx context.Context, out *Emitter) error {
	read := lineReader{lines: l, out: out, regions: map[string]lineRegion{}}
	defer read.tellRest()
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
			_ = d.SetDeadline(time.Unix(1, 0)) // files that have none say so
		}
		return nil
	}
}

// Bounds of what is read.
const (
	maxLine        = 1 << 16
	maxLineRegions = 10_000
	maxLineBytes   = 4 << 20 // of the lines that regions were begun by which are open
	maxBadLines    = 100
)

// lineReader reads the lines of one reader.
type lineReader struct {
	lines   Lines
	out     *Emitter
	number  int
	bad     atomic.Int64
	regions map[string]lineRegion // that are open, by name and id
	held    int                   // bytes of the lines that began them
}

// lineRegion is a region that a line began.
type lineRegion struct {
	OpenRegion
	size int // of the line
}

// run reads lines until their end, or that of ctx.
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
			r.endAll() // also of a client that was killed, whose connection breaks where it left answers unread
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("reading lines: %w", err)
	}
	return nil
}

// endAll ends the regions that nobody will end any more.
func (r *lineReader) endAll() {
	for _, key := range slices.Sorted(maps.Keys(r.regions)) {
		r.regions[key].finish([]Attr{{"unended", true}}, atBegin)
	}
	clear(r.regions)
}

// skipLine reads up to the end of a line.
func skipLine(in *bufio.Reader) error {
	for {
		_, err := in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// byteOrderMark is what some programs on Windows begin their output with.
const byteOrderMark = "\ufeff"

// take emits the event of a line. One that is not whole may lack a part.
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

// emit emits what a line of a size says.
func (r *lineReader) emit(ctx context.Context, l *eventLine, size int) error {
	key := l.name + "\x00" + l.id
	open, isOpen := r.regions[key]
	switch {
	case l.region == "":
		r.out.Event(ctx, l.name, l.attrs...)
	case l.region == "begin" && isOpen:
		return fmt.Errorf("a region %q with the id %q is open already", l.name, l.id)
	case l.region == "begin" && (len(r.regions) >= maxLineRegions || r.held+size > maxLineBytes):
		return fmt.Errorf("%d regions are open, which is as many as there can be", len(r.regions))
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

// wrong is an error about the line at hand.
func (r *lineReader) wrong(format string, args ...any) error {
	return &winperf.DataError{
		Source: r.lines.Name, Offset: -1, Line: r.number, Msg: fmt.Sprintf(format, args...),
	}
}

// refuse tells that a line is not understood.
func (r *lineReader) refuse(ctx context.Context, err error) {
	r.answer("error " + safetext.Line(err.Error()) + "\n")
	if r.bad.Add(1) <= maxBadLines && ctx.Err() == nil {
		r.out.experiment.tell("line refused", Attr{"source", r.lines.Name}, Attr{"error", err.Error()})
	}
}

// tellRest tells how many lines were refused beyond those that were told one by one.
func (r *lineReader) tellRest() {
	if more := r.bad.Load() - maxBadLines; more > 0 {
		r.out.experiment.tell("more lines refused", Attr{"source", r.lines.Name}, Attr{"lines", more})
	}
}

// answer writes to whoever wants to know. One who does not read any more is told nothing more.
func (r *lineReader) answer(text string) {
	if r.lines.Ack == nil {
		return
	}
	if _, err := io.WriteString(r.lines.Ack, text); err != nil {
		r.lines.Ack = nil
	}
}
