package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// What is to be done when a file has reached its limit.
const (
	Stop     = "stop"
	New      = "new"      // go on in a new file
	Circular = "circular" // and remove the oldest ones
)

// Limits bound a file; 0 is no bound.
type Limits struct {
	Size    int64
	Samples int
	Time    time.Duration
	Action  string // one of Stop, New and Circular
}

// Set reports whether there is a limit.
func (l *Limits) Set() bool { return l.Size > 0 || l.Samples > 0 || l.Time > 0 }

// circularParts is how many files a circular recording is spread over: what is
// dropped at once is the oldest of them.
const circularParts = 8

// part is the limit of one file.
func (l Limits) part() Limits {
	if l.Action == Circular {
		l.Size = (l.Size + circularParts - 1) / circularParts
		l.Samples = (l.Samples + circularParts - 1) / circularParts
		l.Time = (l.Time + circularParts - 1) / circularParts
	}
	return l
}

// Files are the files of a recording, one after the other. The first is opened with the first
// moment.
type Files struct {
	Names  *Names
	Format string
	Append bool // go on with what a file has
	Limits Limits
	// Open opens a file for writing. It fails with fs.ErrExist where the next name is to be tried.
	Open func(ctx context.Context, name string) (file *os.File, isNew bool, err error)
	// NewWriter begins a log in the file of a name.
	NewWriter func(w io.Writer, name string, tail *Tail) (Writer, error)
	Note      func(error) // is told what is no failure

	current *file
	kept    []*file // closed ones of a circular recording, oldest first
	written Written
	brief   TooSmall // of the time, once it shows
}

// Written is what a recording has written.
type Written struct {
	Samples int
	Files   int    // that have samples
	Size    int64  // of all files, without those that were dropped
	Name    string // of the latest file
	Late    int    // series that came too late for their file

	LateNames []string // the paths of the first few of them
}

// Written returns what was written by now.
func (s *Files) Written() Written {
	w := s.written
	if s.current != nil {
		w.Size += s.current.length()
	}
	return w
}

// Add writes a moment that was sampled at a time, in a new file where the current one is full. It
// reports whether the recording has reached its end. An error keeps nothing from being
// recorded that came before, and where the error is about a new file the
// moment is in the one before.
func (s *Files) Add(ctx context.Context, m *Moment, at time.Time) (full bool, err error) {
	var failed error
	if s.current == nil || s.full(at) {
		if s.current != nil && s.Limits.Action == Stop {
			return true, nil
		}
		if s.current != nil {
			s.noteBrief(at)
		}
		if failed = s.next(ctx, at); failed != nil && s.current == nil {
			return false, failed
		}
	}

	f := s.current
	if err := f.add(m, at); err != nil {
		return false, errors.Join(failed, fmt.Errorf("%s: %w", f.name, err))
	}
	if f.samples == 1 {
		s.written.Files++
		s.written.Name = f.name
	}
	s.written.Samples++
	return failed == nil && s.Limits.Action == Stop && s.reached(at), failed
}

// TooSmall is how a limit shows to be too small. Of Part and Enough only that limit is set.
type TooSmall struct {
	Part    Limits // of each file
	Enough  Limits // what would do, for all files of a circular recording
	Samples int    // in the file that is full
	Length  int64  // of that file, in bytes
}

// few is how many samples are too few for a file: a head and names take more room in such a
// file than what it is for.
const few = 3

// TooSmall reports whether files hold hardly more than a sample each within a limit of their
// size, or only one within that of the samples or the time of a circular recording, which are
// spread over several files; otherwise these are as short as they were asked to be. The first file shows it.
func (s *Files) TooSmall() (is TooSmall, small bool) {
	f, l := s.current, s.Limits.part()
	if s.brief.Samples > 0 {
		return s.brief, true
	}
	if f == nil || s.written.Files != 1 || f.samples > few {
		return is, false
	}

	is.Samples, is.Length = f.samples, f.length()
	switch {
	case l.Size > 0 && f.length()+f.grown > l.Size:
		is.Part.Size = l.Size
		is.Enough.Size = s.Limits.Size / l.Size * few * 4 * f.length() / int64(f.samples)
	case l.Action == Circular && l.Samples == 1:
		is.Part.Samples, is.Enough.Samples = 1, circularParts*2
	default:
		return is, false
	}
	return is, true
}

// noteBrief notes that the first file of a circular recording lasts for one sample, where the
// time of the next one shows it.
func (s *Files) noteBrief(at time.Time) {
	f, l := s.current, s.Limits.part()
	lasts := at.Sub(f.begun)
	if l.Action != Circular || l.Time == 0 || lasts < l.Time || s.written.Files != 1 || f.samples > 1 {
		return
	}
	s.brief = TooSmall{Samples: f.samples, Length: f.length(), Part: Limits{Time: l.Time}}
	s.brief.Enough.Time = circularParts * 2 * lasts
}

// full reports whether the next sample belongs into another file.
func (s *Files) full(at time.Time) bool {
	f, l := s.current, s.Limits.part()
	return f.samples > 0 && (l.Size > 0 && f.length()+f.grown > l.Size ||
		l.Samples > 0 && f.samples >= l.Samples ||
		l.Time > 0 && at.Sub(f.begun) >= l.Time)
}

// reached reports that no further sample fits, so that there is no need to wait
// for one.
func (s *Files) reached(at time.Time) bool {
	l := s.Limits
	l.Time = 0 // the next sample's time is not known
	return l.Set() && s.full(at)
}

// next closes the current file and begins another. Where that fails the current
// one stays.
func (s *Files) next(ctx context.Context, at time.Time) error {
	f, tail, err := s.create(ctx, at)
	if err != nil {
		return err
	}
	if f.log, err = s.NewWriter(f, f.name, tail); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", f.name, err), f.discard())
	}

	f.before = f.size
	if s.current != nil {
		if err := s.finish(); err != nil {
			return errors.Join(err, f.discard())
		}
	}
	s.current = f
	return s.drop(at)
}

// create opens the next file. Of names with a serial number it takes the first
// that is free.
func (s *Files) create(ctx context.Context, at time.Time) (*file, *Tail, error) {
	const tries = 999_999
	for {
		name := s.Names.next(at.Local())
		opened, isNew, err := s.Open(ctx, name)
		if errors.Is(err, fs.ErrExist) && s.Names.Numbered() && s.Names.serial < tries {
			continue
		}
		if err != nil {
			return nil, nil, err
		}

		f := &file{File: opened, name: name, isNew: isNew}
		if !s.Append || !IsRegular(opened) {
			return f, &Tail{}, nil
		}
		tail, size, broken, err := openTail(opened, s.Format)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), opened.Close())
		}
		if broken > 0 {
			s.Note(fmt.Errorf("%s: cut off the last %d bytes, which are no whole record", name, broken))
		}
		f.at, f.size, f.good = size, size, size
		return f, tail, nil
	}
}

// finish closes the current file. One whose first sample did not fit is removed
// where it is new.
func (s *Files) finish() error {
	f := s.current
	s.current = nil
	if f.failed && f.samples == 0 {
		return f.discard()
	}

	s.written.Late += f.log.Late()
	if w, ok := f.log.(*textWriter); ok && len(s.written.LateNames) == 0 {
		s.written.LateNames = w.LateNames()
	}
	err := f.close()
	if err != nil {
		err = fmt.Errorf("%s: %w", f.name, err)
	}

	if info, err := os.Stat(f.name); err == nil && info.Mode().IsRegular() { // a pipe has no size
		f.size = info.Size()
	}
	s.written.Size += f.size
	if s.Limits.Action == Circular {
		s.kept = append(s.kept, f)
	}
	return err
}

// drop removes the oldest files of a circular recording that are not needed.
func (s *Files) drop(now time.Time) error {
	for len(s.kept) > 0 && s.tooMuch(now) {
		if err := os.Remove(s.kept[0].name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.written.Size -= s.kept[0].size
		s.kept = s.kept[1:]
	}
	return nil
}

// tooMuch reports whether the recording keeps what it was asked for without its
// oldest file, or is too large with it and a full file more.
func (s *Files) tooMuch(now time.Time) bool {
	var size int64
	samples := 0
	for _, f := range s.kept {
		size += f.size
		samples += f.samples
	}
	l := s.Limits
	return l.Size > 0 && size+l.part().Size > l.Size ||
		l.Samples > 0 && samples-s.kept[0].samples >= l.Samples ||
		l.Time > 0 && now.Sub(s.kept[0].last) > l.Time
}

// Sync puts what was written on the disk.
func (s *Files) Sync() error {
	if s.current == nil {
		return nil
	}
	if err := s.current.sync(); err != nil {
		return fmt.Errorf("%s: %w", s.current.name, err)
	}
	return nil
}

// Close completes the recording.
func (s *Files) Close() error {
	if s.current == nil {
		return nil
	}
	return s.finish()
}
