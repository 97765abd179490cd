// Package pdhtext reads and writes the text forms of Windows' performance logs: PDH-CSV 4.0
// and PDH-TSV 4.0, as written by logman, relog and typeperf.
//
// A text log has a head and one row for each sample. Fields are in double quotes; lines end
// with CR LF:
//
//	"(PDH-CSV 4.0) (Eastern Daylight Time)(240)","\\HOST\Memory\Available Bytes"
//	"06/30/2007 15:40:38.659","238132991823872"
//
// The first field of the head is the format and, in logs, the time zone and its bias; the
// others are full counter paths. The first field of a row is local time, the others are
// values, or a blank if missing.
//
// The form follows the pages typeperf, relog and logman of Microsoft Learn and the output
// of these programs.
package pdhtext
