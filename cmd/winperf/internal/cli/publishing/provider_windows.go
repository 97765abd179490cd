package publishing

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/provider/publish"
)

// RegistrationSystem returns the system that registers providers.
func RegistrationSystem() (regfile.System, error) {
	dll := winapi.NewDLL("advapi32.dll")
	return &windowsSystem{winapi.NewRegistry(dll), winapi.NewRegistryEditor(dll)}, nil
}

type windowsSystem struct {
	reg  *winapi.Registry
	edit *winapi.RegistryEditor
}

func (s *windowsSystem) CreateKey(key string) (created []string, err error) {
	for end := 0; end < len(key); {
		if next := strings.IndexByte(key[end+1:], '\\'); next >= 0 {
			end += 1 + next
		} else {
			end = len(key)
		}

		if k, err := s.reg.OpenKey(winapi.HKEY_LOCAL_MACHINE, key[:end]); err == nil {
			_ = s.reg.CloseKey(k) // opened only to check it
			continue
		}

		k, isNew, err := s.edit.CreateKey(winapi.HKEY_LOCAL_MACHINE, key[:end])
		if err != nil {
			return created, err
		}

		if isNew {
			created = append(created, key[:end])
		}
		if err := s.reg.CloseKey(k); err != nil {
			return created, err
		}
	}
	return created, nil
}

func (s *windowsSystem) DeleteKey(key string) (bool, error) {
	k, err := s.reg.OpenKey(winapi.HKEY_LOCAL_MACHINE, key)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	subkeys, values, err := s.edit.Counts(k)
	if err := errors.Join(err, s.reg.CloseKey(k)); err != nil || subkeys+values > 0 {
		return false, err
	}
	err = s.edit.DeleteKey(winapi.HKEY_LOCAL_MACHINE, key)
	return err == nil, err
}

func (s *windowsSystem) Value(key, name string) (v regfile.Value, found bool, err error) {
	k, err := s.reg.OpenKey(winapi.HKEY_LOCAL_MACHINE, key)
	if errors.Is(err, os.ErrNotExist) {
		return v, false, nil
	}
	if err != nil {
		return v, false, err
	}
	defer func() { err = errors.Join(err, s.reg.CloseKey(k)) }()

	const most = 1 << 20 // largest registry value: 1 MB
	buf := make([]byte, most)
	var value winapi.RegValue
	err = s.reg.QueryValue(k, wire.Units(name), buf, &value)
	if errors.Is(err, os.ErrNotExist) {
		return v, false, nil
	}
	if err != nil {
		return v, false, err
	}
	return regfile.ParseValue(regfile.ValueType(value.Type), buf[:value.Size]), true, nil
}

func (s *windowsSystem) SetValue(key, name string, v regfile.Value) error {
	k, _, err := s.edit.CreateKey(winapi.HKEY_LOCAL_MACHINE, key)
	if err != nil {
		return err
	}
	return errors.Join(s.edit.SetValue(k, name, uint32(v.Type), formatValue(v)), s.reg.CloseKey(k))
}

func (s *windowsSystem) DeleteValue(key, name string) error {
	k, _, err := s.edit.CreateKey(winapi.HKEY_LOCAL_MACHINE, key)
	if err != nil {
		return err
	}
	err = s.edit.DeleteValue(k, name)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, s.reg.CloseKey(k))
}

func (s *windowsSystem) MakePublished() error { return publish.MakeCommon() }

// Run runs a Windows program from the system directory.
func (s *windowsSystem) Run(ctx context.Context, command []string) error {
	directory, err := winapi.SystemDirectory()
	if err != nil {
		return err
	}
	program := filepath.Join(directory, command[0]+".exe")
	out, err := exec.CommandContext(ctx, program, command[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, console.Words(string(out)))
	}
	return nil
}

func formatValue(v regfile.Value) []byte {
	text := ""
	switch v.Type {
	case regfile.TypeDWord:
		return binary.LittleEndian.AppendUint32(nil, v.Number)
	case regfile.TypeString, regfile.TypeExpandString:
		text = strings.Join(v.Strings, "") + "\x00"
	case regfile.TypeMultiString:
		for _, s := range v.Strings {
			text += s + "\x00"
		}
		text += "\x00"
	default:
		return v.Data
	}
	return wire.AppendUTF16(nil, text)
}
