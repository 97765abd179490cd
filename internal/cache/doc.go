// Package cache shares samples of one source between several measurements.
//
// New wraps a winperf.Source. A measurement gets objects that another one sampled within
// the last half second; the source is asked for the others, and only once at a time for the
// same object. No measurement gets the same sample of an object twice, so that no difference is
// zero because of sharing. Sharing costs a single user little. The source is asked for the
// counters that any open query needs; samples requested before a query opened that needs
// more are not used for it.
//
// The rules are the same as in the object cache of the Java Performance Measurement Framework's
// data source for Windows:
//
//   - the unit is one object of one sample, with the clocks of that sample;
//   - find: an object that is missing, older than the freshness (500 ms; exactly that
//     old is fresh), or from which the query is banned is a miss, which changes nothing;
//     a hit bans the query from the object;
//   - insert: the newest object replaces the older one, ends all its bans and bans the
//     query that inserted it; unrequested objects of the sample are inserted, too;
//   - a query that needs samples begun after some time (NotBefore) gets no older ones;
//   - a replaced sample lives as long as it is referenced.
//
// The cache keeps every sample of the source (winperf.Sample.Keep), so its blocks never
// change. The original overwrote its copies under locks; here readers never wait, and the
// garbage collector frees the memory. A ban means that the query has this sample of the
// object, so it ends with the query; identities are never reused.
//
// A sample from the cache has a part for each sample of the source that its objects are
// from. A hit makes no copy: the block is decoded once for all queries that share it, as
// are columns computed from the same two blocks (see winperf.Block.Kept).
//
// Source.Meter is a source of the cache's own counters: the object "winperf cache" with
// hits, misses, bans, refreshes and ages.
package cache
