package index

import (
	"hash/maphash"
	"slices"
)

// Names are what the instances of an object were called in an earlier sample: enough
// to tell whether they are the same, without looking at that sample's bytes, which no
// cache may hold any more.
type Names struct {
	Single bool     // the one unnamed thing of a single-instance object
	Of     []uint64 // hashes of the names, see HashName
	Links  []Link   // not resolved; nil where no instance has any
}

// HashName is a hash of a name as it stands in a sample. Different names have the same
// one with a probability of 2^-64, also where an attacker chose them: the seed is
// random.
func HashName(name []byte) uint64 { return maphash.Bytes(nameSeed, name) }

var nameSeed = maphash.MakeSeed()

// Hashes are those of the names of n named instances, nil if there were others.
func (k *Names) Hashes(n int) []uint64 {
	if k == nil || k.Single || len(k.Of) != n {
		return nil
	}
	return k.Of
}

// If returns the names if, as far as anything but names tells, the object's instances
// are those, else nil. Links are those of the sample, not resolved.
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
