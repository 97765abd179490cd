package index

import "github.com/winperf/winperf/internal/wire"

// NameBytes returns the name of an instance, which aliases Data: in the code page of its object,
// with any terminator. Equal bytes are equal names; different bytes may be equal, too (see
// [Index.AppendName]).
func (ix *Index) NameBytes(in *Instance) []byte {
	return ix.Data[in.Name.Off:][:in.Name.Len]
}

// AppendName appends the name of an instance as UTF-8 to dst. Invalid characters become U+FFFD.
func (ix *Index) AppendName(dst []byte, in *Instance, codePage uint32) []byte {
	return wire.AppendText(dst, ix.NameBytes(in), codePage)
}

// MachineName returns the name of the sampled machine.
func (ix *Index) MachineName() string {
	return wire.Text(ix.Data[ix.Machine.Off:][:ix.Machine.Len], wire.UTF16LE)
}
