// Package pdhlog reads and writes performance logs of Windows: the text forms
// PDH-CSV 4.0 and PDH-TSV 4.0, as logman, relog and typeperf make them, with
// Reader and Writer, and binary logs (.blg) with BLGReader and BLGWriter.
//
// A text log is a head and one row for each moment. Every field stands in
// double quotes and every line ends with CR LF:
//
//	"(PDH-CSV 4.0) (Eastern Daylight Time)(240)","\\HOST\Memory\Available Bytes"
//	"06/30/2007 15:40:38.659","238132991823872"
//
// The first field of the head names the format and, in logs, the time zone and
// its bias; the others are full counter paths. The first field of a row is
// local time, the others are values, or one blank where there is none.
//
// The form follows the pages typeperf, relog and logman of Microsoft Learn and
// what these programs write.
//
// A binary log is an event trace file: buffers of equal size with events (evntrace.h:
// WMI_BUFFER_HEADER, EVENT_TRACE_HEADER) of one provider. Their records are the
// list of what is kept, samples, and in logs of whole objects the names of title
// indices and a summary. A sample has for each entry of the list a raw value
// (PDH_RAW_COUNTER of pdh.h), one for each instance, or a whole object as a
// performance data block (winperf.h). No document describes these records: what
// is here was worked out on logs of Windows Vista and Windows 8, and what
// BLGWriter writes has not been verified on Windows.
package pdhlog

// Choices worth knowing here:
//
// A binary log's last buffer is written with each flush and again with the next: first what is
// new, then the buffer's header, then the end of the log in the head, so that a log which
// nobody completed reads whole. What is left of a program that is killed rests on that. record
// flushes also with the first sample of a buffer, which takes the buffer's room on the disk: a
// full one costs only that sample.
