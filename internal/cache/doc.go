// Package cache lets several measurements of one source share samples: an
// object cache between contexts and a source.
//
// New wraps a winperf.Source. A measurement of the wrapper gets objects that
// another one sampled up to half a second ago, and only for the others is the
// source asked; at the same time it is asked for the same object once. Nobody
// gets the same sample of an object twice, so differences are never zero for
// that reason. It is of use where several measure the same; a single user
// pays a little for it. Of an object those counters are asked for that any open
// query wants, so that a source which reads less for fewer counters still can: what was
// asked for before somebody came who wants more does not serve that one.
//
// The rules are those of the object cache of the Java Performance Measurement
// Framework's data source for Windows:
//
//   - the unit is one object of one sample, with the clocks of that sample;
//   - find: an object that the asker is banned from, that is not there, or that
//     is older than the freshness (500 ms; exactly that old is fresh enough) is a
//     miss, which changes nothing; a hit bans the asker from the object;
//   - insert: the newest object takes the place of the older one, ends the
//     bans of all and bans the asker that inserted it; objects that came along unasked are
//     inserted as well;
//   - a reader that asks for samples begun after some moment (NotBefore) gets nothing older;
//   - a sample that was replaced lives as long as something refers to it.
//
// The cache keeps every sample of the source (winperf.Sample.Keep), whose blocks then never change,
// where the original overwrote its copies under locks: readers never wait, and the garbage collector
// frees the memory. A ban is that the asker has seen this very sample of the object, so it ends with
// the asker, and identities are never used again.
//
// A sample that the cache gives has a part for each sample that objects come from. A
// hit makes nothing: the block is decoded once for all queries that share it, and so are
// columns that are cooked from the same two blocks (see winperf.Block.Kept).
//
// What the cache does is measured like anything else: Source.Meter is a source
// of the object "winperf cache" with hits, misses, bans, refreshes and ages.
package cache
