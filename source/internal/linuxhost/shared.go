package linuxhost

import (
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// sharedFile is read at most once per query.
type sharedFile struct {
	file  file
	text  []byte
	err   error
	query uint64 // of text and err
}

// shared returns the text of a file, valid until the next query.
func (s *session) shared(name string) ([]byte, error) {
	f := s.files[name]
	if f == nil {
		f = &sharedFile{file: file{name: name, records: slices.Contains(recordFiles, name)}}
		s.files[name] = f
	}

	if f.query != s.queries {
		f.query = s.queries
		var text []byte
		text, f.err = s.reader.read(&f.file)
		f.text = append(f.text[:0], text...)
	}
	return f.text, f.err
}

// recordFiles are generated from many records.
var recordFiles = []string{"proc/diskstats", "proc/vmstat"}

var errNoNumber = fmt.Errorf("not a number: %w", winperf.ErrBadData)

// readNumber returns the number in a file. It reopens a file whose device is gone.
func (r *reader) readNumber(f *file) (uint64, error) {
	kept := f.h != 0
	text, err := r.read(f)
	if kept && isMissing(err) {
		text, err = r.read(f)
	}

	if err != nil {
		return 0, err
	}
	line, _, _ := cutLine(text)
	n, ok := decimal(line)
	if !ok {
		return 0, errNoNumber
	}
	return n, nil
}

// exists reports whether a file exists. An error is an ErrShort.
func (r *reader) exists(name string) (bool, error) {
	f := file{name: name}
	if err := r.ensure(&f); err != nil {
		if isShort(err) {
			return false, err
		}
		return false, nil
	}
	r.close(&f.h)
	return true, nil
}

// readOnce reads and closes a file. The text is valid until the next reading.
func (r *reader) readOnce(name string) ([]byte, error) {
	f := file{name: name, records: true}
	text, err := r.read(&f)
	r.close(&f.h)
	return text, err
}
