package trial

import (
	"cmp"
	"errors"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/strictyaml"
)

// unread are the keys of a file with values that could not be decoded. A name that others refer to may be
// in these values.
type unread struct {
	keys map[string]bool
	all  bool // a key is unknown, and may be any of them
}

// none reports whether all values of these keys were decoded.
func (u unread) none(keys ...string) bool {
	for _, key := range keys {
		if u.all || u.keys[key] {
			return false
		}
	}
	return true
}

// unreadKeys returns the keys of a file that decoding errors are in. The errors are joined.
func unreadKeys(places strictyaml.Places, joined error) unread {
	u := unread{keys: map[string]bool{}}
	list, _ := joined.(interface{ Unwrap() []error })
	for _, err := range list.Unwrap() {
		of, _ := errors.AsType[*winperf.DataError](err)
		at := strictyaml.Pos{Line: of.Line, Column: of.Column}

		var key string
		var begin strictyaml.Pos
		for name, place := range places {
			isInner := strings.ContainsAny(name, ".[")
			if !isInner && order(begin, place.Key) < 0 && order(place.Key, at) <= 0 {
				key, begin = name, place.Key
			}
		}
		u.keys[key] = true
		u.all = u.all || order(begin, at) == 0
	}
	return u
}

func order(a, b strictyaml.Pos) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
