package publishing

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/winapi"
)

func collectFrom(sys regfile.System, driver string) (d delivered, err error) {
	library, err := valueOf(sys, driver, "Performance", "Library")
	if err != nil {
		return d, err
	}

	drivers, err := valueOf(sys, driver, "Linkage", "Export")
	if err != nil {
		return d, err
	}

	// A foreign library lacks these functions and is not called.
	d.library = library[0]
	e := winapi.NewExtension(winapi.NewDLL(d.library))
	if _, err := e.Troubles(); err != nil {
		return d, err
	}

	if err := e.Open(drivers); err != nil {
		return d, err
	}
	d.objects, err = collectAll(e)
	d.accounts = accountsOf(e, d)
	if err := errors.Join(err, e.Close()); err != nil {
		return d, err
	}
	d.troubles, err = e.Troubles()
	return d, err
}

// accountsOf returns the objects' accounts. Older libraries do not report them.
func accountsOf(e *winapi.Extension, d delivered) map[uint32]string {
	accounts := map[uint32]string{}
	for object := range d.each() {
		title := object.Title()
		sid, err := e.Owner(title)
		if err != nil || sid == "" {
			accounts[title] = "an unknown account"
			continue
		}
		accounts[title] = winapi.AccountName(sid)
	}
	return accounts
}

// collectAll queries with growing buffers, up to twice the largest answer.
func collectAll(e *winapi.Extension) (objects []byte, err error) {
	const least, most = 1 << 16, 128 << 20
	for size := least; size <= most; size *= 4 {
		if objects, err = e.Collect("Global", size); !errors.Is(err, winapi.ERROR_MORE_DATA) {
			return objects, err
		}
	}
	return nil, err
}

func valueOf(sys regfile.System, driver, key, name string) ([]string, error) {
	path := regfile.Services + `\` + driver + `\` + key
	v, found, err := sys.Value(path, name)
	if err != nil {
		return nil, err
	}
	if !found || len(v.Strings) == 0 || v.Strings[0] == "" {
		const form = `HKLM\%s has no text %s: install the provider with winperf provider install`
		return nil, fmt.Errorf(form, path, name)
	}
	return v.Strings, nil
}
