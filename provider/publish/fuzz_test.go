package publish

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider/registration"
)

// Whatever a file holds: what is read of it is within its bounds and makes a
// block that decodes without damage, or it is an error of a known kind.
func FuzzForeign(f *testing.F) {
	p := start(f, tempDir(f), schemaText)
	one := add(f, p, "Peer", "one", nil)
	add(f, p, "Job", "job", one)
	gone := add(f, p, "Peer", "gone", nil)
	if err := gone.Remove(); err != nil {
		f.Fatal(err)
	}
	whole := content(f, p)[:p.memory.used]
	slots := int(binary.LittleEndian.Uint32(whole[pubfile.HeaderSlots:]))
	f.Add(whole, 0, uint32(0))
	f.Add(whole[:len(whole)-1], 0, uint32(0))
	f.Add(whole[:40], 0, uint32(0))
	for _, field := range pubfile.Fields() {
		at := field.Offset
		switch field.Struct {
		case "Object":
			at += int(binary.LittleEndian.Uint32(whole[pubfile.HeaderTable:]))
		case "Slot":
			at += slots
		}
		for _, v := range []uint32{0, 1, 1 << 31, 0xFFFFFFFF, 64 << 20} {
			f.Add(whole, at, v)
		}
	}
	for at := slots; at < len(whole); at += 4 {
		f.Add(whole, at, uint32(0x7FFFFFF0))
	}
	f.Fuzz(func(t *testing.T, b []byte, at int, v uint32) {
		if at >= 0 && at+4 <= len(b) {
			b = bytes.Clone(b)
			binary.LittleEndian.PutUint32(b[at:], v)
		}
		file, err := fake(b)
		if err != nil {
			if !errors.Is(err, winperf.ErrBadData) && !errors.Is(err, winperf.ErrNotSupported) &&
				!errors.Is(err, errNotReady) {
				t.Fatalf("unknown kind of error: %v", err)
			}
			return
		}
		w := watch(t, ReaderOptions{Dirs: []string{}})
		m := w.newMerger()
		if err := m.merge(t.Context(), []*foreign{file}, w.view.includes); err != nil {
			t.Fatal(err)
		}
		w.view.replace(m)
		p := w.view.last.Load()
		if p == nil {
			if len(w.problems) == 0 {
				t.Error("no objects, and no problem")
			}
			return
		}
		frame, names := w.block(p, "Global")
		file.window = smallWindow
		again, _ := w.block(p, "Global")
		if a, b := text(frame, names), text(again, names); a != b {
			t.Errorf("a copy gives\n%swindows give\n%s", a, b)
		}
		if len(w.problems) == 0 && frame.NumObjects() != len(file.objects) && len(file.of(0)) > 0 {
			t.Errorf("no problem, but %d of %d objects:\n%s", frame.NumObjects(), len(file.objects),
				text(frame, names))
		}
		for _, in := range file.live {
			if s, ok, err := file.filled(in); err != nil || !ok ||
				len(s.block) != file.images[in.object].Block {
				t.Errorf("a counter block of %d bytes", len(s.block))
			}
		}
	})
}

// A schema in a file is as little to be trusted as the rest: either it is right,
// or there is an error.
func FuzzForeignSchema(f *testing.F) {
	f.Add([]byte(schemaText))
	f.Add([]byte(singles))
	f.Add([]byte(`{"driver": "x", "objects": []}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := registration.ParseDeclaration("fuzz", text)
		if err != nil {
			return
		}
		pl, err := newFileImage(s)
		if err != nil {
			return
		}
		b := pl.encode(s.Driver, must(t, func(string) ([]byte, error) { return json.Marshal(s) }, ""))
		binary.LittleEndian.PutUint64(b, pubfile.Magic)
		file, err := fake(b)
		if err != nil {
			t.Fatalf("what was published cannot be read: %v", err)
		}
		if len(file.objects) != len(pl.objects) {
			t.Errorf("%d objects, want %d", len(file.objects), len(pl.objects))
		}
	})
}
