// Package pdhlog reads and writes binary performance logs of Windows (.blg), as logman,
// relog and perfmon make them.
//
// A log is an event trace file: buffers of equal size with events (evntrace.h:
// WMI_BUFFER_HEADER, EVENT_TRACE_HEADER) of one provider. Their records are the
// list of what is kept, samples, and in logs of whole objects the names of title
// indices and a summary. A sample has for each entry of the list a raw value
// (PDH_RAW_COUNTER of pdh.h), one for each instance, or a whole object as a
// performance data block (winperf.h). No document describes these records: what
// is here was worked out on logs of Windows Vista and Windows 8, and what
// Writer writes has not been verified on Windows.
//
// Package source reads a log as samples that can be decoded and cooked, and text logs
// (.csv, .tsv) too, which package sink writes.
package pdhlog

// Choices worth knowing here:
//
// A binary log's last buffer is written with each flush and again with the next: first what is
// new, then the buffer's header, then the end of the log in the head, so that a log which
// nobody completed reads whole. What is left of a program that is killed rests on that. record
// flushes also with the first sample of a buffer, which takes the buffer's room on the disk: a
// full one costs only that sample.
