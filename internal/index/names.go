package index

import (
	"hash/maphash"
	"slices"
)

// Names identify the instances of an object in an earlier sample. They allow a comparison without
// that sample's bytes, which may no longer exist.
type Names struct {
	Single bool     // the unnamed instance of a single-instance object
	Of     []uint64 // hashes of the names, see HashName
	Links  []Link   // unresolved links; nil if no instance has one
}

// HashName returns a hash of a name in a sample's encoding. Different names have equal hashes with
// a probability of 2^-64, even if an attacker chose them: the seed is random.
func HashName(name []byte) uint64 { return maphash.Bytes(nameSeed, name) }

var nameSeed = maphash.MakeSeed()

// Hashes returns the hashes of n named instances, or nil for another number or kind.
func (k *Names) Hashes(n int) []uint64 {
	if k == nil || k.Single || len(k.Of) != n {
		return nil
	}
	return k.Of
}

// If returns k if the object's instances agree with it in all properties except names, else nil.
// links are the unresolved links of the sample.
func (k *Names) If(links []Link, o *Object) *Names {
	n := int(o.InstanceEnd - o.Instance0)
	if k == nil || len(k.Of) != n || n > 0 && k.Single != (o.NumInstances < 0) {
		return nil
	}

	var now []Link
	if o.Link0 >= 0 {
		now = links[o.Link0:][:n]
	}

	if !slices.Equal(now, k.Links) {
		return nil
	}
	return k
}
