// Package cache lets several measurements of one source share samples of objects.
//
// New wraps a winperf.Source. A measurement of the wrapper gets objects from the cache if another
// one sampled them up to half a second ago. Other objects are requested from the source, by
// concurrent queries once. No query gets the same sample of an object twice, so sharing never makes
// a difference zero. An object is sampled with the counters that any open query needs, so that a
// source can still read less for fewer counters; an older sample with fewer counters does not serve
// a new query that needs more.
//
// The rules are from the object cache of the Java Performance Measurement Framework's data source
// for Windows:
//
//   - the unit is one object of one sample, with the clocks of that sample;
//   - find: an object that is banned for the query, missing, or older than the freshness (500 ms,
//     inclusive) is a miss, which changes nothing; a hit bans the object for the query;
//   - insert: the newest object replaces the older one, ends all bans and bans the object for the query that
//     inserted it; other objects of the sample are inserted, too;
//   - a query that requests samples begun after some time (NotBefore) gets nothing older;
//   - a replaced sample lives as long as something refers to it.
//
// The cache keeps every sample of the source (winperf.Sample.Keep), so that blocks never change and
// readers never wait; the garbage collector frees the memory. A ban means that the query has this
// very sample of the object, so it ends with the query.
//
// A sample from the cache has one part per original sample. A hit allocates nothing: queries share
// decoded blocks, and columns computed from the same two blocks (see winperf.Block.Kept).
//
// Source.Meter is a source that measures the cache: the object "winperf cache" with hits, misses,
// bans, refreshes and ages.
package cache
