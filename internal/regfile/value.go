package regfile

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/winperf/winperf/internal/wire"
)

// ParseValue reads the bytes of a registry value. Data of an unexpected length or another type
// is returned as Value.Data.
func ParseValue(t ValueType, data []byte) Value {
	v := Value{Type: t}
	switch {
	case t == TypeDWord && len(data) == 4:
		v.Number = binary.LittleEndian.Uint32(data)
	case t == TypeString, t == TypeExpandString:
		v.Strings = []string{strings.TrimRight(wire.Decode(data[:len(data)&^1], wire.UTF16LE), "\x00")}
	case t == TypeMultiString:
		text := strings.TrimRight(wire.Decode(data[:len(data)&^1], wire.UTF16LE), "\x00")
		if text != "" {
			v.Strings = strings.Split(text, "\x00")
		}
	default:
		v.Data = bytes.Clone(data)
	}
	return v
}
