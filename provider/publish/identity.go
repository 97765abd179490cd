package publish

import (
	"fmt"
	"os"
	"os/user"
	"strconv"

	"github.com/winperf/winperf"
)

// identity is what the system says about a file, which its publisher cannot
// choose.
type identity struct {
	device, number uint64 // of the file, for as long as it exists
	owner          int64  // the account's id, -1 where the system tells none
	born           int64  // when the file was made, 0 where that is not known
	writable       bool   // others than the owner may write to it
}

// check tells why what is in a file cannot be taken for its owner's.
func (id *identity) check(path string) error {
	if id.writable {
		return fmt.Errorf("%s: others than its owner may write to it (chmod go-w): %w", path,
			winperf.ErrBadData)
	}
	return nil
}

// same reports whether this is still the same file.
func (id identity) same(other identity) bool {
	id.writable = other.writable
	return id == other
}

// accounts knows the names of accounts.
type accounts map[int64]string

// unnamed begins the name of an account that has only a number.
const unnamed = "uid "

// name returns the name of an account, "" where the system tells none.
func (a accounts) name(id int64) string {
	if id < 0 {
		return ""
	}
	if name, known := a[id]; known {
		return name
	}

	number := strconv.FormatInt(id, 10)
	name := unnamed + number
	if u, err := user.LookupId(number); err == nil && u.Username != "" {
		name = u.Username
	}
	a[id] = name
	return name
}

// fileOf is what a reader opens a published file with.
type fileOf func(path string) (*os.File, identity, error)

// openIdentified opens a file and asks the system about it.
func openIdentified(path string) (*os.File, identity, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, identity{}, err
	}
	id, err := identify(f)
	if err != nil {
		_ = f.Close() // it was not read
		return nil, identity{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, id, nil
}
