package index

import (
	"hash/maphash"
	"slices"
)

// Names identify the instances of an object in an earlier sample, for comparison without
// that sample's bytes, which may no longer be in a cache.
type Names struct {
	Single bool     // the single-instance object's unnamed instance
	Of     []uint64 // hashes of the names, see HashName
	Links  []Link   // not resolved; nil if no instance has one
}

// HashName returns a hash of a name's bytes. Different names collide with a probability of
// 2^-64, even if chosen by an attacker: the seed is random.
func HashName(name []byte) uint64 { return maphash.Bytes(nameSeed, name) }

var nameSeed = maphash.MakeSeed()

// Hashes returns the hashes of n named instances, nil if the number differs.
func (k *Names) Hashes(n int) []uint64 {
	if k == nil || k.Single || len(k.Of) != n {
		return nil
	}
	return k.Of
}

// If returns the names if the object may have the same instances by everything except
// names, else nil. links are the sample's unresolved links.
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
