package doctor

import (
	"errors"

	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
)

// registry is a diagnosis.Registry of this machine.
type registry struct{ api *winapi.Registry }

// maxKeys limits the subkeys that are read. A faulty system can list them without end.
const maxKeys = 1 << 16

func (r registry) Keys(path string) (names []string, err error) {
	key, err := r.api.OpenKey(winapi.HKEY_LOCAL_MACHINE, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close(key)) }()

	for i := range uint32(maxKeys) {
		name, err := r.api.EnumKey(key, i)
		switch {
		case errors.Is(err, winapi.ERROR_NO_MORE_ITEMS):
			return names, nil
		case err != nil:
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

// predefined reports whether a key is one of a name table: these stay open, and have no rights. Only
// the lower 32 bits of such a key count.
func predefined(key winapi.HKEY) bool {
	low := key & 0xffff_ffff
	return low == winapi.HKEY_PERFORMANCE_TEXT || low == winapi.HKEY_PERFORMANCE_NLSTEXT
}

func (r registry) close(key winapi.HKEY) error {
	if predefined(key) {
		return nil
	}
	return r.api.CloseKey(key)
}

// rights returns the access control list of a key.
func (r registry) rights(path string) (list []diagnosis.Access, err error) {
	key, err := r.api.OpenKey(winapi.HKEY_LOCAL_MACHINE, path)
	if err != nil || predefined(key) {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close(key)) }()

	entries, err := winapi.KeyAccess(key)
	list = []diagnosis.Access{}
	for _, e := range entries {
		list = append(list, diagnosis.Access{Account: e.SID, Deny: e.Deny, Mask: e.Mask})
	}
	return list, err
}

// Value reads a value with growing buffers up to the largest table.
func (r registry) Value(path, name string) (t regfile.ValueType, data []byte, err error) {
	key, err := r.api.OpenKey(winapi.HKEY_LOCAL_MACHINE, path)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, r.close(key)) }()

	return r.read(key, name, 1<<12, 32<<20)
}

// read reads a value of a key with growing buffers.
func (r registry) read(key winapi.HKEY, name string, first, most int) (regfile.ValueType, []byte, error) {
	const behind = 256 // Wine writes behind a buffer for performance data
	for size := first; ; size *= 8 {
		data := make([]byte, size+behind)
		var value winapi.RegValue
		err := r.api.QueryValue(key, wire.Units(name), data[:size], &value)
		if errors.Is(err, winapi.ERROR_MORE_DATA) && size < most {
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		return regfile.ValueType(value.Type), data[:min(int(value.Size), size)], nil
	}
}
