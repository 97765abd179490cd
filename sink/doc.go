// Package sink is where readings go: a table for people, logs in the forms of
// Windows (csv and tsv), JSON for programs, and bare paths.
//
// [New] makes a sink by the name of its format, and [Formats] lists the names.
// Every sink takes the readings of one moment after the other and hands on the
// first error of its writer unchanged, again and again, so that callers can
// tell a closed pipe.
//
// # Table
//
// Each object has a line with its name and those of its counters, and below it
// a line for each instance. An object with a single row that does not fit the
// width has a line for each counter instead; other tables that do not fit are
// broken into several side by side, one below the other, which repeat the
// instance names. Where an object was sampled apart its line says how old its
// values are. In place of a value that is not ok stands the word of its
// status, in place of one that was not read at all a dash. Percentages, rates
// and averages have two decimals, seconds up to six. On a terminal Close leaves
// the last picture and shows the cursor again.
//
// # JSON
//
// jsonl has an object a line for each reading, and json an array of the same objects:
//
//	{"time":"2026-01-02T15:04:05.0000000Z","path":"\\\\HOST\\Memory\\Pages/sec",
//	"value":1.5,"unit":"per_second","status":"ok","object":"Memory","counter":"Pages/sec"}
//
// The path's parts stand beside it, as names have backslashes and slashes themselves: parent
// and instance where there are such, the instance with #n where there are several of its name.
// value is a number, integers with all their digits, or null: when the status
// is not ok, when a decimal is infinite or not a number, and for a text, which
// stands in a field of its own, "text". Units and statuses are the words of
// counter.Unit and counter.Status. A reading that is older than the moment,
// because its object was sampled apart, has a field "age" in seconds, and one
// that an anomaly touched a field "anomalies" with the words of
// winperf.AnomalyKind. In strings every character is escaped that is not to be shown.
//
// # What is escaped
//
// A table, a list of paths and JSON escape what names and texts must not do to a
// terminal: a line stays a line, and a name cannot send escape sequences. A log is
// data: control characters become blanks, so that a row stays one line, and all
// else is kept.
package sink
