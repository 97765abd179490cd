package delivery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/filelock"
	"github.com/winperf/winperf/sink"
)

// FormatRecords is the format of complete records, one line of JSON each. The formats of package sink
// contain only the values, with the time of the record's sample.
const FormatRecords = "records"

// FileOptions configure NewFile.
type FileOptions struct {
	// Format is FormatRecords or a format of sink.New. "" uses the extension: .jsonl, .ndjson and
	// .records are records.
	Format string
	// Overwrite replaces an existing file. Without it, records are appended to a file of records, and any
	// other existing file is refused.
	Overwrite bool
	// Columns are the paths with a column in csv and tsv; nil selects the paths of the first record.
	Columns []string
}

// FileFormat returns the format of a file's name. The error wraps winperf.ErrNotSupported.
func FileFormat(name, format string) (string, error) {
	ext := strings.ToLower(filepath.Ext(name))
	if format == "" && slices.Contains([]string{".jsonl", ".ndjson", ".records"}, ext) {
		format = FormatRecords
	}
	known := []string{FormatRecords}
	for _, f := range sink.Formats() {
		if format == "" && slices.Contains(f.Extensions, ext) {
			format = f.Name
		}
		known = append(known, f.Name)
	}

	if !slices.Contains(known, format) {
		what := fmt.Sprintf("format %q", format)
		if format == "" {
			what = fmt.Sprintf("file extension %q without a format", ext)
		}
		const form = "%s: %s is %w: use one of the formats %s"
		return "", fmt.Errorf(form, name, what, winperf.ErrNotSupported, strings.Join(known, ", "))
	}
	return format, nil
}

// NewFile returns a sink that writes a file. Delivered records survive the end of the program; Close
// writes them to disk. A batch is written completely or not at all. The error wraps fs.ErrExist if the
// file exists and must not be changed.
func NewFile(name string, o FileOptions) (Sink, error) {
	format, err := FileFormat(name, o.Format)
	if err != nil {
		return nil, err
	}

	if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return nil, isPipe(name)
	}

	flags := os.O_RDWR | os.O_CREATE
	if format != FormatRecords && !o.Overwrite {
		flags |= os.O_EXCL
	}
	_, before := os.Lstat(name)
	f, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		return nil, err
	}

	s := &fileSink{file: f, created: errors.Is(before, fs.ErrNotExist)}
	if err := s.open(format, o); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// Discard closes a sink that delivered nothing. A file that NewFile created is removed, and a file that
// it was to overwrite is unchanged.
func Discard(ctx context.Context, s Sink) error {
	f, ok := s.(*fileSink)
	if !ok {
		return s.Close(ctx)
	}
	err := f.file.Close()
	if f.created {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}

// CheckFile returns the error that NewFile would return, as far as this is known without creating or
// changing a file.
func CheckFile(name string, o FileOptions) error {
	format, err := FileFormat(name, o.Format)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeNamedPipe != 0:
		return isPipe(name)
	case !o.Overwrite && format != FormatRecords:
		return fmt.Errorf("%s exists (%w): only files of records can be appended to", name, fs.ErrExist)
	}

	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if !info.Mode().IsRegular() || o.Overwrite {
		return nil
	}
	_, err = findEnd(f)
	return err
}

// isPipe returns the error for a named pipe: data in a pipe is not stored, and a pipe without reader
// blocks.
func isPipe(name string) error {
	const form = "%s is a named pipe (%w): use a program sink that writes to it"
	return fmt.Errorf(form, name, winperf.ErrNotSupported)
}

type fileSink struct {
	file *os.File
	// created reports that NewFile created the file, replaces that the first write replaces its content.
	created, replaces bool

	size   int64
	format encoder
	ready  []byte // encoded batch that is not written yet
	last   Item
	known  Item
}

type encoder interface {
	encode(batch []Item) ([]byte, error)
	end() ([]byte, error)
}

func (s *fileSink) open(format string, o FileOptions) (err error) {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		s.size = -1
	} else if err := s.take(format, o.Overwrite); err != nil {
		return err
	}

	s.format, err = newEncoder(format, sink.Options{File: true, Columns: o.Columns, Location: time.UTC})
	return err
}

func newEncoder(format string, o sink.Options) (encoder, error) {
	if format == FormatRecords {
		return recordLines{}, nil
	}
	return newReadings(format, o)
}

func (s *fileSink) take(format string, overwrite bool) error {
	locked, err := filelock.Try(s.file)
	if err == nil && !locked {
		return fmt.Errorf("%s: another program is writing this file", s.file.Name())
	}
	if s.replaces = overwrite; overwrite {
		return nil
	}
	if format == FormatRecords {
		return s.appendTo()
	}
	return nil
}

// appendTo finds the last record of the file and removes an incomplete record after it.
func (s *fileSink) appendTo() error {
	end, err := findEnd(s.file)
	if err != nil {
		return err
	}
	s.size, s.known = end.size, end.last
	if err := s.file.Truncate(s.size); err != nil || !end.open {
		return err
	}
	return s.write([]byte{'\n'})
}

type recordsEnd struct {
	size int64
	last Item
	open bool
}

// findEnd finds the end of a file's records. Only an incomplete record may follow; other data is an
// error, since it may belong to a user.
func findEnd(f *os.File) (end recordsEnd, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return end, err
	}
	begin := max(0, size-2*(experiment.MaxRecord+1))
	tail := make([]byte, size-begin)
	if _, err := f.ReadAt(tail, begin); err != nil && !errors.Is(err, io.EOF) {
		return end, err
	}

	whole := bytes.LastIndexByte(tail, '\n') + 1
	rest := bytes.TrimRight(tail[whole:], "\x00") // a power failure may leave zeros at the end
	rec, err := experiment.ParseRecord(rest)
	switch {
	case err == nil:
		return recordsEnd{begin + int64(whole+len(rest)), Item{Session: rec.Session, Number: rec.Number}, true}, nil
	case !beginsRecord(rest) || json.Valid(rest) || whole == 0 && begin > 0:
		return end, fmt.Errorf("%s does not end with a record: %w", f.Name(), winperf.ErrBadData)
	}

	end.size = begin + int64(whole)
	if whole == 0 {
		return end, nil
	}
	line := tail[bytes.LastIndexByte(tail[:whole-1], '\n')+1 : whole]
	if rec, err = experiment.ParseRecord(line); err != nil {
		return end, fmt.Errorf("%s does not end with a record: %w", f.Name(), err)
	}
	end.last = Item{Session: rec.Session, Number: rec.Number}
	return end, nil
}

const recordBegin = `{"experiment":"`

func beginsRecord(text []byte) bool {
	n := min(len(text), len(recordBegin))
	return string(text[:n]) == recordBegin[:n]
}

// Deliver implements Sink.
func (s *fileSink) Deliver(_ context.Context, batch []Item) error {
	// A batch that could not be written is repeated, alone or with more records. Its encoded form is
	// kept, because encoders omit definitions that they have written.
	if err := s.flush(); err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(batch), func(i Item) bool {
		return i.Session == s.known.Session && i.Number <= s.known.Number
	})
	if len(fresh) == 0 {
		return nil
	}

	text, err := s.format.encode(fresh)
	if err != nil {
		return err
	}
	s.ready, s.last = text, fresh[len(fresh)-1]
	return s.flush()
}

func (s *fileSink) flush() error {
	if s.last.Number == 0 {
		return nil
	}
	if err := s.write(s.ready); err != nil {
		return err
	}
	s.known, s.ready, s.last = s.last, nil, Item{}
	return nil
}

// Late implements sink.LateCounter.
func (s *fileSink) Late() int { return lateIn(s.format) }

func lateIn(e encoder) int {
	if l, ok := e.(sink.LateCounter); ok {
		return l.Late()
	}
	return 0
}

// write appends text, completely or not at all.
func (s *fileSink) write(text []byte) error {
	if s.size < 0 {
		_, err := s.file.Write(text)
		return err
	}
	if err := s.replace(); err != nil {
		return err
	}
	if _, err := s.file.WriteAt(text, s.size); err != nil {
		return errors.Join(err, s.file.Truncate(s.size))
	}
	s.size += int64(len(text))
	return nil
}

// replace empties a file that is overwritten, once.
func (s *fileSink) replace() error {
	if !s.replaces {
		return nil
	}
	err := s.file.Truncate(0)
	s.replaces = err != nil
	return err
}

// Close implements Sink.
func (s *fileSink) Close(context.Context) error {
	var text []byte
	var err error
	if s.flush() == nil { // otherwise Deliver has returned the error, and an end after missing data is wrong
		text, err = s.format.end()
	}
	if err == nil && len(text) > 0 {
		err = s.write(text)
	}
	if s.size >= 0 {
		err = errors.Join(err, s.replace(), s.file.Sync())
	}
	return errors.Join(err, s.file.Close())
}

type recordLines struct{}

func (recordLines) encode(batch []Item) (text []byte, err error) {
	for i := range batch {
		text = append(append(text, batch[i].JSON...), '\n')
	}
	return text, nil
}

func (recordLines) end() ([]byte, error) { return nil, nil }
