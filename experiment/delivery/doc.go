// Package delivery delivers the records of an experiment to sinks: files, an HTTP endpoint, the standard
// input of a program, an attached client.
//
// A Delivery puts records, numbered and in order, into a queue in memory or on disk. Each route delivers
// them to its sink in batches, independently of other routes. A failed batch is retried with growing
// pauses. A slow or dead sink does not delay other sinks: when the queue is full, records stay in the
// experiment, under the policies of its bindings. If all other routes have delivered everything, the slow
// one loses the oldest records instead, which its state counts.
//
// Every sink gets every record at least once, in order. A batch is repeated after a failure, and
// undelivered records in a queue on disk are delivered in the next run. Session and Number let the
// receiver detect repeats.
package delivery
