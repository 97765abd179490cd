package doctor

import (
	"errors"
	"slices"

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

// close closes a key. Keys of name tables are predefined ones, which stay open.
func (r registry) close(key winapi.HKEY) error {
	predefined := []winapi.HKEY{winapi.HKEY_PERFORMANCE_TEXT, winapi.HKEY_PERFORMANCE_NLSTEXT}
	if slices.Contains(predefined, key) {
		return nil
	}
	return r.api.CloseKey(key)
}

// Value reads a value with growing buffers up to the largest table.
func (r registry) Value(path, name string) (t regfile.ValueType, data []byte, err error) {
	key, err := r.api.OpenKey(winapi.HKEY_LOCAL_MACHINE, path)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, r.close(key)) }()

	const first, most = 1 << 12, 32 << 20
	for size := first; ; size *= 8 {
		data = make([]byte, size)
		var value winapi.RegValue
		err = r.api.QueryValue(key, wire.Units(name), data, &value)
		if errors.Is(err, winapi.ERROR_MORE_DATA) && size < most {
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		return regfile.ValueType(value.Type), data[:min(int(value.Size), size)], nil
	}
}
