// Package sink writes readings: as a table for people, as logs in Windows' formats (csv and tsv),
// as JSON for programs, or as a list of paths.
//
// [New] returns the sink of a format; [Formats] lists the formats. Each call of Write writes one
// sample. A sink returns the first error of its writer unchanged, and again from every later call,
// so that callers can recognize a closed pipe.
//
// # Table
//
// Each object has a line with its name and the names of its counters, and below it a line for each
// instance. A single row that exceeds the width becomes a list with a line for each counter. Other
// wide tables are split into several tables, one below the other, each with the instance names. If
// an object was sampled independently, its line shows the age of its values. If the status of a value
// is not ok, the table shows the status; if there is no reading, it shows a dash. Percentages, rates
// and averages have two decimals, seconds up to six. On a terminal, Close leaves the last table and
// shows the cursor again.
//
// # JSON
//
// jsonl has one object per line for each reading, and json one array of the same objects:
//
//	{"time":"2026-01-02T15:04:05.0000000Z","path":"\\\\HOST\\Memory\\Pages/sec",
//	"value":1.5,"unit":"per_second","status":"ok","object":"Memory","counter":"Pages/sec"}
//
// The fields object, counter, parent and instance repeat the parts of the path, because names may
// contain backslashes and slashes. instance includes #n if several instances share a name. value is
// a number, with all digits if it is an integer, or null: if the status is not ok, if the number is
// infinite or NaN, and for a text, which is in the field "text". Units and statuses are the words
// of counter.Unit and counter.Status. A reading of an independently sampled object may have a field
// "age" in seconds; a reading with anomalies has a field "anomalies" with the words of
// winperf.AnomalyKind. Unprintable characters are escaped.
//
// # Escaping
//
// Tables, lists of paths and JSON escape control characters, so that a name can neither break a
// line nor send escape sequences to a terminal. csv and tsv replace control characters by blanks
// and keep everything else.
package sink
