package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/winperf/winperf/internal/sorted"
)

// Actions at the limit of a file.
const (
	Stop     = "stop"
	New      = "new"      // continue in a new file
	Circular = "circular" // and remove the oldest ones
)

// Limits are the limits of a file; 0 is unlimited.
type Limits struct {
	Size    int64
	Samples int
	Time    time.Duration
	Action  string // Stop, New or Circular
}

// Set reports whether there is a limit.
func (l *Limits) Set() bool { return l.Size > 0 || l.Samples > 0 || l.Time > 0 }

// circularParts is the number of files of a circular recording, which removes whole files.
const circularParts = 8

func (l Limits) part() Limits {
	if l.Action == Circular {
		l.Size = (l.Size + circularParts - 1) / circularParts
		l.Samples = (l.Samples + circularParts - 1) / circularParts
		l.Time = (l.Time + circularParts - 1) / circularParts
	}
	return l
}

// Files are the successive files of a recording. The first is opened with the first moment.
type Files struct {
	Names  *Names
	Format string
	Append bool // continue existing files; with the action Circular, the files of an earlier recording
	Limits Limits
	// Open opens a file for writing. With fs.ErrExist the next name is tried.
	Open func(ctx context.Context, name string) (file *os.File, isNew bool, err error)
	// NewWriter begins a log in the named file.
	NewWriter func(w io.Writer, name string, tail *Tail) (Writer, error)
	Note      func(error) // receives notes that are not failures

	current *file
	kept    []*file // closed files of a circular recording, oldest first
	written Written
	brief   TooSmall // because of the time, when it is known
}

// Written describes the written files.
type Written struct {
	Samples int
	Files   int    // that have samples
	Size    int64  // of all files that were not removed
	Name    string // of the latest file
	Late    int    // series that appeared too late for their file

	LateNames []string // the first few of their paths
}

// Written returns the current state.
func (s *Files) Written() Written {
	w := s.written
	if s.current != nil {
		w.Size += s.current.length()
	}
	return w
}

// Add writes a moment that was sampled at a time, in a new file if the current one is full. It
// reports whether the recording is complete. An error does not affect earlier samples; if a new
// file failed, the moment is in the previous one.
func (s *Files) Add(ctx context.Context, m *Moment, at time.Time) (full bool, err error) {
	var failed error
	if s.current == nil || s.full(at) {
		if s.current != nil && s.Limits.Action == Stop {
			return true, nil
		}
		if s.current != nil {
			s.noteBrief(at)
		} else if s.continues() {
			s.adopt()
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

// TooSmall describes a limit that is too small. Only that limit is set in Part and Enough.
type TooSmall struct {
	Part    Limits // of each file
	Enough  Limits // a sufficient limit, for all files of a circular recording
	Samples int    // in the full file
	Length  int64  // of that file, in bytes
}

// few is the number of samples below which the header and names take most of a file.
const few = 3

// TooSmall reports whether the first file shows that a limit is too small: hardly more than one
// sample within the size, or one sample per file of a circular recording with a limit of samples or
// time.
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

// noteBrief detects that the first file of a circular recording has only one sample because of the
// time.
func (s *Files) noteBrief(at time.Time) {
	f, l := s.current, s.Limits.part()
	lasts := at.Sub(f.begun)
	if l.Action != Circular || l.Time == 0 || lasts < l.Time || s.written.Files != 1 || f.samples > 1 {
		return
	}
	s.brief = TooSmall{Samples: f.samples, Length: f.length(), Part: Limits{Time: l.Time}}
	s.brief.Enough.Time = circularParts * 2 * lasts
}

func (s *Files) full(at time.Time) bool {
	f, l := s.current, s.Limits.part()
	return f.samples > 0 && (l.Size > 0 && f.length()+f.grown > l.Size ||
		l.Samples > 0 && f.samples >= l.Samples ||
		l.Time > 0 && at.Sub(f.begun) >= l.Time)
}

// reached reports that no further sample fits, so that waiting for one is unnecessary.
func (s *Files) reached(at time.Time) bool {
	l := s.Limits
	l.Time = 0 // the next sample's time is unknown
	return l.Set() && s.full(at)
}

// next begins a new file and closes the current one. After an error the current one remains.
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

// create opens the next file. Names with a serial number skip existing files.
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
		if !s.Append || s.continues() || !IsRegular(opened) {
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

// finish closes the current file. A new file whose first sample failed is removed.
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

// continues reports whether files of an earlier circular recording are part of this one.
func (s *Files) continues() bool { return s.Append && s.Limits.Action == Circular }

// adopt adds the files of an earlier circular recording as the oldest ones. Their samples are not counted.
func (s *Files) adopt() {
	for _, name := range s.Names.earlier() {
		info, err := os.Stat(name)
		if err != nil {
			continue // removed meanwhile
		}
		s.kept = append(s.kept, &file{name: name, size: info.Size(), last: info.ModTime()})
		s.written.Size += info.Size()
	}
	sorted.Func(s.kept, func(a, b *file) int { return a.last.Compare(b.last) })
}

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

// tooMuch reports whether the oldest file is unnecessary, or the recording would exceed its size
// with another full file.
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

// Sync syncs the current file to the disk.
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
