// Package view answers questions about logs and live sources: which counters there are, their values over
// time, statistics, events, and what changed most. docs/view.md describes the answers. A [View] reads its
// sources on request and keeps the results within a memory limit.
//
// The package opens no file and no connection. Package view/web serves the answers.
package view

// Design:
//
// All values over time are in tables (table.go): a row for each series, a bin for each sample. A table that
// reaches its limit merges pairs of bins and keeps minimum, average and maximum, so that its memory is
// bounded and no peak is lost.
//
// The survey of a source (survey.go) is one table of the averages of all counters, with the events. It
// answers Objects, Instances, Events and Changed, and is the first coarse picture of a range. The survey of
// a large log has only 48 of its samples, until a survey of all samples replaces it. A log with too many
// values keeps the coarse one.
//
// The values of a path are read into a separate table (load.go), which is cached (cache.go). Requests that
// arrive during a pass over a log share the next pass. Of a very large log a pass first reads some samples. A
// request whose table is not complete is answered from the best table in the cache, else from the survey.
//
// A live source is measured by one loop (live.go), which only stores its samples, in captures in memory
// (history.go). All answers about it come from these captures, as from a log.
//
// A mutex guards the fields below it in its struct, and a function that needs it locked says so. The order of
// locks is shown, job, survey, table, live, history; the lock of the cache is before the ones of tables.
