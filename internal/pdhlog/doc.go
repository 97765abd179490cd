// Package pdhlog reads and writes binary performance logs of Windows (.blg), as written by
// logman, relog and perfmon.
//
// A log is an event trace file: buffers of equal size with events (evntrace.h:
// WMI_BUFFER_HEADER, EVENT_TRACE_HEADER) of one provider. Its records are a counter list,
// samples and, in logs of whole objects, the names of title indices and a summary. For each
// entry of the list a sample has a raw value (PDH_RAW_COUNTER of pdh.h), a raw value of
// each instance, or a whole object as a performance data block (winperf.h). The records are
// not documented. This package is based on logs of Windows Vista and Windows 8; the output
// of Writer has not been verified on Windows.
//
// Package source reads binary and text logs (.csv, .tsv) as samples; package sink writes
// text logs.
package pdhlog

// Each flush writes the last buffer: first the new events, then the buffer's header, then
// the log's end in the file head, so that a log is complete after each write even if the
// program is killed. record also flushes at the first sample of a buffer, which allocates
// the buffer on disk: a full disk then loses only that sample.
