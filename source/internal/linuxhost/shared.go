package linuxhost

import (
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// sharedFile is a file that is read at most once in a query, whichever objects are
// made of it.
type sharedFile struct {
	file  file
	text  []byte
	err   error
	query uint64 // that text and err are of
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

// recordFiles are those of them that the kernel makes of many records.
var recordFiles = []string{"proc/diskstats", "proc/vmstat"}

// errNoNumber: a file that is to hold a number holds something else.
var errNoNumber = fmt.Errorf("not a number: %w", winperf.ErrBadData)

// readNumber reads the number that is all that a file holds. A kept file that
// belonged to a device that is gone is opened anew.
func (r *reader) readNumber(f *file) (uint64, error) {
	kept := f.h != 0
	text, err := r.read(f)
	if kept && isGone(err) {
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

// exists reports whether there is a file or directory. Only an ErrShort leaves
// that open.
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

// readOnce returns the text of a file that is not kept open, valid until the
// next reading.
func (r *reader) readOnce(name string) ([]byte, error) {
	f := file{name: name, records: true}
	text, err := r.read(&f)
	r.close(&f.h)
	return text, err
}
