// Package sink is where readings go: a table for people, logs in the forms of
// Windows (csv and tsv), JSON for programs, and bare paths.
//
// [New] makes a sink by the name of its format, and [Formats] lists the names.
// Every sink takes the readings of one moment after the other and hands on the
// first error of its writer unchanged, again and again, so that callers can
// tell a closed pipe.
//
// A table, a list of paths and JSON escape what names and texts must not do to a
// terminal: a line stays a line, and a name cannot send escape sequences. A log is
// data: control characters become blanks, so that a row stays one line, and all
// else is kept.
package sink
