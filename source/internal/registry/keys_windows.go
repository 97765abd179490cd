package registry

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/source/internal/v1"
)

// perflibKey is the key of name tables and their stamps, below HKEY_LOCAL_MACHINE.
const perflibKey = `SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib`

// keys are the performance keys of one machine.
type keys struct {
	api     *winapi.Registry
	opened  bool
	machine string      // "" = this one
	data    winapi.HKEY // of another machine: 0 until it is open
	local   winapi.HKEY // HKEY_LOCAL_MACHINE, likewise
	value   winapi.RegValue
}

// openKeys prepares the keys without opening them.
func openKeys(opt Options) (v1.Keys, v1.Options, error) {
	library := opt.Library
	if library == "" {
		library = "advapi32.dll"
	}

	k := &keys{api: winapi.NewRegistry(winapi.NewDLL(library)), machine: opt.Machine}
	kernel := winapi.NewKernel(winapi.NewDLL("kernel32.dll"))
	v1opt := v1.Options{Machine: opt.Machine, Language: opt.Language}
	if opt.Machine == "" {
		name, err := kernel.ComputerName()
		if err != nil {
			return v1.Keys{}, v1opt, fmt.Errorf("the computer's name: %w", err)
		}
		v1opt.Machine = name
	}

	if opt.Language == "" {
		if language, err := kernel.UILanguage(); err == nil {
			v1opt.Language = strconv.FormatUint(uint64(language), 16)
		}
	}
	return v1.Keys{Open: k.open, Query: k.query, Languages: k.languages, Close: k.close}, v1opt, nil
}

// open connects to another machine. This machine's keys need not be opened. Closing a lost key
// makes the system reopen it.
func (k *keys) open(context.Context) (err error) {
	if k.opened {
		if err := k.close(); err != nil {
			return err
		}
	}

	k.opened = true
	if k.machine == "" {
		return nil
	}
	if k.data, err = k.connect(winapi.HKEY_PERFORMANCE_DATA); err != nil {
		return err
	}

	k.local, err = k.connect(winapi.HKEY_LOCAL_MACHINE)
	if err != nil {
		k.local = 0 // names are also in the data key
	}
	return nil
}

func (k *keys) connect(key winapi.HKEY) (winapi.HKEY, error) {
	h, err := k.api.Connect(k.machine, key)
	switch {
	case errors.Is(err, winapi.ERROR_BAD_NETPATH):
		return 0, fmt.Errorf(`\\%s: %w: %w`, k.machine, winperf.ErrNoMachine, err)
	case err != nil:
		return 0, fmt.Errorf(`\\%s: %w`, k.machine, err)
	}
	return h, nil
}

// close closes the keys; the system then releases the providers.
func (k *keys) close() error {
	if k.machine == "" {
		return k.api.CloseKey(winapi.HKEY_PERFORMANCE_DATA)
	}
	var errs []error
	for _, h := range []*winapi.HKEY{&k.data, &k.local} {
		if *h != 0 {
			errs = append(errs, k.api.CloseKey(*h))
		}
		*h = 0
	}
	return errors.Join(errs...)
}

// query reads a value.
func (k *keys) query(_ context.Context, key v1.Key, name []uint16, buf []byte, v *v1.Value) error {
	var err error
	switch {
	case key.Root == v1.Perflib:
		err = k.perflib(key.Language, func(h winapi.HKEY) error {
			return k.api.QueryValue(h, name, buf,
				&k.value)
		})
	case k.machine == "":
		err = k.api.QueryValue(predefined[key.Root], name, buf, &k.value)
	case key.Root == v1.Data:
		err = k.api.QueryValue(k.data, name, buf, &k.value)
	default:
		err = winapi.ERROR_FILE_NOT_FOUND // RegConnectRegistry has no text keys
	}
	v.Type = k.value.Type
	v.Size = k.value.Size
	return err
}

var predefined = [...]winapi.HKEY{
	v1.Data:    winapi.HKEY_PERFORMANCE_DATA,
	v1.Text:    winapi.HKEY_PERFORMANCE_TEXT,
	v1.NLSText: winapi.HKEY_PERFORMANCE_NLSTEXT,
}

// perflib calls do with the Perflib key or the key of one of its languages.
func (k *keys) perflib(language string, do func(winapi.HKEY) error) (err error) {
	root, path := winapi.HKEY_LOCAL_MACHINE, perflibKey
	if k.machine != "" {
		root = k.local
	}

	if root == 0 {
		return winapi.ERROR_FILE_NOT_FOUND
	}
	if language != "" {
		path += `\` + language
	}

	h, err := k.api.OpenKey(root, path)
	if err != nil {
		return err
	}
	return errors.Join(do(h), k.api.CloseKey(h))
}

// languages lists the subkeys of Perflib.
func (k *keys) languages(context.Context) (names []string, err error) {
	err = k.perflib("", func(h winapi.HKEY) error {
		for i := range uint32(maxSubkeys) {
			name, err := k.api.EnumKey(h, i)
			switch {
			case errors.Is(err, winapi.ERROR_NO_MORE_ITEMS):
				return nil
			case err != nil:
				return err
			}
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// maxSubkeys ends an endless enumeration.
const maxSubkeys = 1000
