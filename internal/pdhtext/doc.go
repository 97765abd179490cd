// Package pdhtext reads and writes the text forms of Windows' performance logs: PDH-CSV 4.0
// and PDH-TSV 4.0, as logman, relog and typeperf make them.
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
package pdhtext
