package index

import "github.com/winperf/winperf/internal/wire"

// NameBytes returns the name of an instance as it stands in Data, which the
// result aliases: in the code page of its object, with any terminator. Equal
// bytes are equal names; different bytes may still be (see [Index.AppendName]).
func (ix *Index) NameBytes(in *Instance) []byte {
	return ix.Data[in.Name.Off:][:in.Name.Len]
}

// AppendName appends the name of an instance, as text, to dst. What is no
// character becomes U+FFFD.
func (ix *Index) AppendName(dst []byte, in *Instance, codePage uint32) []byte {
	return wire.AppendText(dst, ix.NameBytes(in), codePage)
}

// MachineName returns the name of the machine the sample was taken on.
func (ix *Index) MachineName() string {
	return wire.Text(ix.Data[ix.Machine.Off:][:ix.Machine.Len], wire.UTF16LE)
}
