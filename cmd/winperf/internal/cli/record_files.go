package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/winperf/winperf/measure"
)

// recordFiles are the files of a recording, one after the other.
type recordFiles struct {
	names   *fileNames
	format  string
	mode    openMode
	source  string // URL of what is recorded
	limits  limitFlags
	newForm func(*recordFile, *recordTail) (recordForm, error)
	note    func(error)

	current *recordFile
	kept    []recordedPart // closed files of a circular recording, oldest first
	samples int            // of all files
	told    bool           // that the limit is too small
	files   int            // that have samples
	size    int64          // of closed files
	name    string         // of the latest of them
}

// recordedPart is a closed file.
type recordedPart struct {
	name    string
	size    int64
	samples int
	last    time.Time
}

// circularParts is how many files a circular recording is spread over: what is
// dropped at once is the oldest of them.
const circularParts = 8

// add writes a sample, in a new file where the current one is full. It tells
// whether the recording has reached its end. An error keeps nothing from being
// recorded that came before, and where the error is about a new file the
// sample is in the one before.
func (s *recordFiles) add(ctx context.Context, c *measure.Cycle, at time.Time) (full bool, err error) {
	var failed error
	if s.current == nil || s.full(at) {
		if s.current != nil && s.limits.action == limitStop {
			return true, nil
		}
		if failed = s.next(ctx, at); failed != nil && s.current == nil {
			return false, failed
		}
	}

	if err := s.current.add(c, at); err != nil {
		return false, errors.Join(failed, fmt.Errorf("%s: %w", s.current.name, err))
	}
	if s.current.samples == 1 {
		s.files++
		s.name = s.current.name
	}

	s.samples++
	s.tellSmall()
	return failed == nil && s.limits.action == limitStop && s.reached(at), failed
}

// fewSamples is how many samples at most a file has whose limit is too small: its head and
// its names take more room than what it is for.
const fewSamples = 3

// tellSmall tells, as soon as the first file shows it, that files hold hardly more than a
// sample each within --max-size.
func (s *recordFiles) tellSmall() {
	f, l := s.current, s.part()
	if s.files != 1 || l.size == 0 || f.length()+f.grown <= int64(l.size) || f.samples > fewSamples || s.told {
		return
	}
	s.told = true

	what := "--max-size " + formatSize(int64(s.limits.size))
	if l.action == limitCircular {
		what += fmt.Sprintf(", %s for each of some %d files,", formatSize(int64(l.size)), circularParts)
	}

	wanted := int64(s.limits.size/l.size) * fewSamples * 4 * f.length() / int64(f.samples)
	s.note(fmt.Errorf("%s is too small: a file is full with %s, %s; at least %s would do",
		what, plural(f.samples, "sample"), formatSize(f.length()), formatSize(wanted)))
}

// full tells whether the next sample belongs into another file.
func (s *recordFiles) full(at time.Time) bool {
	f, l := s.current, s.part()
	return f.samples > 0 && (l.size > 0 && f.length()+f.grown > int64(l.size) ||
		l.samples > 0 && f.samples >= int(l.samples) ||
		l.time > 0 && at.Sub(f.begun) >= time.Duration(l.time))
}

// reached tells that no further sample fits, so that there is no need to wait
// for one.
func (s *recordFiles) reached(at time.Time) bool {
	l := s.limits
	l.time = 0 // the next sample's time is not known
	return l.set() && s.full(at)
}

// part is the limit of one file.
func (s *recordFiles) part() limitFlags {
	l := s.limits
	if l.action == limitCircular {
		l.size = (l.size + circularParts - 1) / circularParts
		l.samples = (l.samples + circularParts - 1) / circularParts
		l.time = (l.time + circularParts - 1) / circularParts
	}
	return l
}

// next closes the current file and begins another. Where that fails the current
// one stays.
func (s *recordFiles) next(ctx context.Context, at time.Time) error {
	f, tail, err := s.create(ctx, at)
	if err != nil {
		return err
	}
	if f.form, err = s.newForm(f, tail); err != nil {
		return errors.Join(err, s.discard(f))
	}

	f.before = f.size
	if s.current != nil {
		if err := s.finish(); err != nil {
			return errors.Join(err, s.discard(f))
		}
	}
	s.current = f
	return s.drop(at)
}

// discard closes a file that was begun in vain, and removes it where it is new. A
// pipe was there before.
func (s *recordFiles) discard(f *recordFile) error {
	isNew := s.mode == openNew && isRegular(f.file)
	err := f.file.Close()
	if isNew {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}

// create opens the next file. Of names with a serial number it takes the first
// that is free.
func (s *recordFiles) create(ctx context.Context, at time.Time) (*recordFile, *recordTail, error) {
	const tries = 999_999
	if s.mode == openOverwrite && s.files == 0 {
		if err := s.names.free(at.Local()); err != nil {
			return nil, nil, err
		}
	}

	for {
		name := s.names.next(at.Local())
		file, err := s.target(name).create(ctx, s.note)
		if errors.Is(err, fs.ErrExist) && s.names.numbered() && s.names.serial < tries {
			continue
		}
		if err != nil {
			return nil, nil, err
		}

		f := &recordFile{name: name, file: file}
		if s.mode != openAppend || !isRegular(file) {
			return f, &recordTail{}, nil
		}

		tail, note, err := f.openTail(s.format)
		if err != nil {
			return nil, nil, errors.Join(err, file.Close())
		}

		if note != "" {
			s.note(errors.New(note))
		}
		return f, tail, nil
	}
}

// target is a file of the recording.
func (s *recordFiles) target(name string) *target {
	return &target{
		name: name, mode: s.mode, reads: []string{s.source},
		instead: "--append goes on with it, --overwrite replaces it",
	}
}

// finish closes the current file. One whose first sample did not fit is removed
// where it is new.
func (s *recordFiles) finish() error {
	f := s.current
	s.current = nil
	if f.failed && f.samples == 0 {
		return s.discard(f)
	}

	err := f.Close()
	if err != nil {
		err = fmt.Errorf("%s: %w", f.name, err)
	}

	size := f.size
	if info, err := os.Stat(f.name); err == nil && info.Mode().IsRegular() { // a pipe has no size
		size = info.Size()
	}

	s.size += size
	if s.limits.action == limitCircular {
		s.kept = append(s.kept, recordedPart{f.name, size, f.samples, f.last})
	}
	return err
}

// drop removes the oldest files of a circular recording that are not needed.
func (s *recordFiles) drop(now time.Time) error {
	for len(s.kept) > 0 && s.tooMuch(now) {
		if err := os.Remove(s.kept[0].name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.size -= s.kept[0].size
		s.kept = s.kept[1:]
	}
	return nil
}

// tooMuch tells whether the recording keeps what it was asked for without its
// oldest file, or is too large with it and a full file more.
func (s *recordFiles) tooMuch(now time.Time) bool {
	var size int64
	samples := 0
	for _, p := range s.kept {
		size, samples = size+p.size, samples+p.samples
	}
	l, part := s.limits, s.part()
	return l.size > 0 && size+int64(part.size) > int64(l.size) ||
		l.samples > 0 && samples-s.kept[0].samples >= int(l.samples) ||
		l.time > 0 && now.Sub(s.kept[0].last) > time.Duration(l.time)
}

// close completes the recording.
func (s *recordFiles) close() error {
	if s.current == nil {
		return nil
	}
	return s.finish()
}
