package pdhlog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/winperf/winperf/internal/wire"
)

// listed is what a catalogue says of an object: how many counters it has, and its instances
// as parent/name#n. nil is an object without instances.
type listed struct {
	counters  int
	instances []string
}

// catalogueOf reads the catalogue of a log.
func catalogueOf(t *testing.T, log []byte) (objects []listed) {
	t.Helper()
	r := &Reader{}
	r.records.events.damage = &r.damage
	if err := r.records.events.open(bytes.NewReader(log)); err != nil {
		t.Fatal(err)
	}
	r.records.events.readHead()
	for {
		rec, err := r.records.record()
		if err != nil {
			t.Fatal(err)
		}
		if rec.typ != typeCatalogue {
			continue
		}
		le := binary.LittleEndian
		for b := rec.data[32:]; len(b) > 0; b = b[le.Uint32(b[4:]):] {
			objects = append(objects, listedIn(b[:le.Uint32(b[4:])]))
		}
		return objects
	}
}

// listedIn reads the record of one object.
func listedIn(b []byte) listed {
	le := binary.LittleEndian
	o := listed{counters: int(le.Uint32(b[12:]))}
	n := int(int32(le.Uint32(b[8:])))
	if n < 0 {
		return o
	}
	up := func(n int) int { return (n + 7) / 8 * 8 }
	table := b[up(up(16+8*o.counters)+12*o.counters):]
	text := func(at uint32) string {
		name, _, _ := wire.CutUTF16(table[16*n+int(at):])
		return wire.Text(name, wire.UTF16LE)
	}
	o.instances = []string{}
	for i := range n {
		place := table[16*i:]
		name := fmt.Sprintf("%s#%d", text(le.Uint32(place)), le.Uint32(place[4:]))
		if parent := le.Uint32(place[8:]); parent != 1<<32-1 {
			name = text(parent) + "/" + name
		}
		o.instances = append(o.instances, name)
	}
	return o
}
