// Package delivery brings the records of an experiment to those who want them: files, an
// HTTP endpoint, the standard input of a program, whoever attached the experiment.
//
// A Delivery takes records, numbered and in order, into a queue in memory or on disk, from
// where each route brings them to its sink, in batches, beside the others. A sink that
// fails is tried again with growing gaps, one that is slow or dead holds up nobody: what
// the queue has no room for stays in the storage of the experiment, where the policy of its
// bindings decides. Where another route has everything, the one that lags loses the oldest
// records instead, which its state counts.
//
// Every sink gets every record at least once, in order. Session and Number tell a receiver
// which ones it has already: after a failure a batch comes again, and after the end of the
// program, where the queue is on disk, what was not delivered before.
package delivery
