package publish

import (
	"fmt"
	"os"
	"os/user"
	"strconv"

	"github.com/winperf/winperf"
)

// identity is the system's information about a file, which its publisher cannot choose.
type identity struct {
	device, number uint64 // of the file, unique while it exists
	owner          int64  // account id, -1 if unknown
	born           int64  // creation time, 0 if unknown
	writable       bool
}

func (id *identity) check(path string) error {
	if id.writable {
		return fmt.Errorf("%s: accounts other than its owner may write to it (chmod go-w): %w", path,
			winperf.ErrBadData)
	}
	return nil
}

func (id identity) same(other identity) bool {
	id.writable = other.writable
	return id == other
}

type accounts map[int64]string

const unnamed = "uid "

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

type fileOf func(path string) (*os.File, identity, error)

func openIdentified(path string) (*os.File, identity, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, identity{}, err
	}
	id, err := identify(f)
	if err != nil {
		_ = f.Close()
		return nil, identity{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, id, nil
}
