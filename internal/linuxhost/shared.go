package linuxhost

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
)

// sharedFile is a file that several objects are made of. It is read at most
// once in a query.
type sharedFile struct {
	file  file
	text  []byte
	err   error
	query uint64 // that text and err are of
}

// read returns the file's text, valid until the next query.
func (f *sharedFile) read(s *session) ([]byte, error) {
	if f.query != s.queries {
		f.query = s.queries
		var text []byte
		text, f.err = s.reader.read(&f.file)
		f.text = append(f.text[:0], text...)
	}
	return f.text, f.err
}

// sharedFiles are the files of this kind.
type sharedFiles struct {
	loadavg, diskstats, snmp, snmp6 sharedFile
}

func newSharedFiles() sharedFiles {
	return sharedFiles{
		loadavg:   sharedFile{file: file{name: "proc/loadavg"}},
		diskstats: sharedFile{file: file{name: "proc/diskstats", records: true}},
		snmp:      sharedFile{file: file{name: "proc/net/snmp"}},
		snmp6:     sharedFile{file: file{name: "proc/net/snmp6"}},
	}
}

// close closes the files.
func (f *sharedFiles) close(s *session) error {
	var errs []error
	for _, one := range []*sharedFile{&f.loadavg, &f.diskstats, &f.snmp, &f.snmp6} {
		errs = append(errs, s.reader.close(&one.file.h))
	}
	return errors.Join(errs...)
}

// errNoNumber: a file that is to hold a number holds something else.
var errNoNumber = fmt.Errorf("no number: %w", winperf.ErrBadData)

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
	_ = r.close(&f.h) // an error to close what was not even read has no meaning
	return true, nil
}

// readOnce returns the text of a file that is not kept open, valid until the
// next reading.
func (r *reader) readOnce(name string) ([]byte, error) {
	f := file{name: name, records: true}
	text, err := r.read(&f)
	_ = r.close(&f.h) // an error to close what was only read has no meaning
	return text, err
}
