package counterset_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/index"
)

// FuzzDecode decodes any bytes, cold, warm and with names kept: all three give
// the same; every value and name that the index tells of can be read; and what
// ParseData takes apart, put together again, holds the same values.
func FuzzDecode(f *testing.F) {
	f.Add(twoSets(f))
	for _, c := range decodeCases {
		f.Add(sample(f, &counterset.Data{Clocks: clocks, Answers: c.answers}, c.ids...))
	}
	all := sets(memoryInfo(), processorInfo())
	var warm index.Index
	f.Fuzz(func(t *testing.T, b []byte) {
		var cold index.Index
		err := counterset.Decode(b, all, &cold, counterset.Options{})
		want := dump(&cold)
		for range 2 {
			if again := counterset.Decode(b, all, &warm,
				counterset.Options{}); (again == nil) != (err == nil) {
				t.Fatalf("error %v, warm %v", err, again)
			}
			if diff := cmp.Diff(want, dump(&warm)); diff != "" {
				t.Fatal(diff)
			}
		}
		checkKnown(t, b, &cold)
		if values := len(cold.Data); values > 4*len(b)+64 {
			t.Fatalf("%d bytes of %d", values, len(b))
		}
		d, _, _ := counterset.ParseData(b)
		if d == nil {
			return
		}
		encoded, encodeErr := counterset.AppendData(nil, d)
		if encodeErr != nil {
			return // damaged answers cannot be written
		}
		d2, damage, err2 := counterset.ParseData(encoded)
		if err2 != nil || len(damage) > 0 {
			t.Fatal(err2, damage)
		}
		if diff := cmp.Diff(d, d2, cmpopts.EquateEmpty(), cmp.Transformer("", anyValue)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// anyValue makes values of which no two are equal.
func anyValue(v counterset.Value) counterset.Value {
	if v.Size != 4 && v.Size != 8 {
		return counterset.Value{}
	}
	return v
}

// checkKnown decodes once more with the instances known: all must be found to be
// the same.
func checkKnown(t *testing.T, b []byte, before *index.Index) {
	var again index.Index
	_ = counterset.Decode(b, sets(memoryInfo(), processorInfo()), &again, counterset.Options{
		Known: keep(before).known,
		Object: func(k int, same bool) {
			if !same {
				t.Fatalf("object %d has other instances than itself", k)
			}
		},
	})
	if diff := cmp.Diff(dump(before), dump(&again)); diff != "" {
		t.Fatal(diff)
	}
}

// FuzzParse reads any bytes as each of the other structures: what comes out is
// written and read again the same.
func FuzzParse(f *testing.F) {
	id, _ := counterset.AppendIdentifier(nil, ask(processors, "*", 3))
	names, _ := counterset.AppendStrings(nil,
		[]counterset.CounterString{{ID: 1, Text: "Name"}, {ID: 2, Empty: true}})
	info := counterset.AppendInfo(nil, processorInfo())
	for _, b := range [][]byte{id, names, info} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		ids, _ := counterset.ParseIdentifiers(b)
		var again []byte
		for _, id := range ids {
			var err error
			if again, err = counterset.AppendIdentifier(again, id); err != nil {
				again = nil
				break // a filter that is longer than may be written
			}
		}
		if ids2, err := counterset.ParseIdentifiers(again); again != nil &&
			(err != nil || !cmp.Equal(ids, ids2)) {
			t.Fatalf("identifiers %v, again %v, %v", ids, ids2, err)
		}
		if info, err := counterset.ParseInfo(b); err == nil {
			if again := counterset.AppendInfo(nil, info); !bytes.HasPrefix(b, again) {
				t.Fatalf("%x, again %x", b, again)
			}
			info.Check()
		}
		all, _ := counterset.ParseStrings(b)
		table, err := counterset.AppendStrings(nil, all)
		if err != nil {
			t.Fatal(err)
		}
		if all2, errs := counterset.ParseStrings(table); len(errs) > 0 ||
			!cmp.Equal(all, all2, cmpopts.EquateEmpty()) {
			t.Fatalf("texts %v, again %v, %v", all, all2, errs)
		}
	})
}
