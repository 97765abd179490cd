package linuxhost

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/winperf/winperf/provider"
)

// constant are the types of what no session ever writes to: tables of this
// package, and declarations.
var constant = map[reflect.Type]bool{
	reflect.TypeFor[*spec](): true, reflect.TypeFor[*fileTable](): true, reflect.TypeFor[[]*fileTable](): true,
	reflect.TypeFor[fileTables]():       true,
	reflect.TypeFor[*provider.Object](): true, reflect.TypeFor[[]groupTree](): true,
}

// memory finds all memory that can be reached from v, by address.
func memory(v reflect.Value, path string, found map[uintptr]string) {
	if constant[v.Type()] {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Chan:
		if v.IsNil() || v.Kind() == reflect.Slice && v.Cap() == 0 {
			return
		}
		if _, known := found[v.Pointer()]; known && v.Kind() != reflect.Slice {
			return
		}
		found[v.Pointer()] = path
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			memory(v.Elem(), path, found)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			memory(v.MapIndex(key), fmt.Sprintf("%s[%v]", path, key), found)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			memory(v.Index(i), fmt.Sprintf("%s[%d]", path, i), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			memory(v.Field(i), path+"."+v.Type().Field(i).Name, found)
		}
	}
}

// TestSessionsShareNothing: two sessions of one provider reach no common memory
// that any of them could write to.
func TestSessionsShareNothing(t *testing.T) {
	h, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found [2]map[uintptr]string
	for i := range found {
		s, err := h.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		d, err := provider.NewDispatcher(provider.Options{}, opened{h, s})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, err := d.Collect(t.Context(), &provider.Query{Global: true, Costly: true}, nil); err != nil {
			t.Fatal(err)
		}
		found[i] = map[uintptr]string{}
		memory(reflect.ValueOf(s), "session", found[i])
	}
	if len(found[0]) < 100 {
		t.Errorf("only %d places were found", len(found[0]))
	}
	for at, path := range found[0] {
		if other, shared := found[1][at]; shared {
			t.Errorf("%s and the other's %s are one", path, other)
		}
	}
}

// opened is a provider of which the session is known.
type opened struct {
	*Host
	session provider.Session
}

func (o opened) Open(context.Context) (provider.Session, error) { return kept{o.session}, nil }

// kept is a session that its opener closes.
type kept struct{ provider.Session }

func (kept) Close() error { return nil }
