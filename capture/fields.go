package capture

import (
	"encoding/binary"

	"github.com/winperf/winperf"
)

// fieldReader reads values from the front of bytes. Beyond the end it returns zeros and sets
// bad.
type fieldReader struct {
	rest []byte
	bad  bool
}

// take returns the next n bytes, or nil if fewer are left.
func (p *fieldReader) take(n int) []byte {
	if p.bad = p.bad || n < 0 || n > len(p.rest); p.bad {
		return nil
	}
	b := p.rest[:n:n]
	p.rest = p.rest[n:]
	return b
}

func (p *fieldReader) u8() uint8 {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (p *fieldReader) u16() uint16 {
	if b := p.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (p *fieldReader) u32() uint32 {
	if b := p.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (p *fieldReader) u64() uint64 {
	if b := p.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// block reads the form that appendSized writes.
func (p *fieldReader) block() []byte {
	n := p.u32()
	if uint64(n) > uint64(len(p.rest)) {
		p.bad = true
		return nil
	}
	return p.take(int(n))
}

// clocks reads the form that appendClocks writes.
func (p *fieldReader) clocks(raw *winperf.Raw) {
	c := &raw.Clocks
	for _, clock := range [...]*int64{&c.PerfTime, &c.PerfFreq, &c.Time100ns, &c.ObjectTime, &c.ObjectFreq} {
		*clock = int64(p.u64())
	}
}
