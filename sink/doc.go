// Package sink is where readings go: a table for people, logs in the forms of
// Windows (csv and tsv), JSON for programs, and bare paths.
//
// [New] makes a sink by the name of its format, and [Formats] lists the names.
// Every sink takes the readings of one moment after the other and hands on the
// first error of its writer unchanged, again and again, so that callers can
// tell a closed pipe.
//
// A table, a log and a list of paths replace control characters of names and
// texts, JSON escapes them: a line stays a line, and a name cannot send escape
// sequences to a terminal.
package sink
