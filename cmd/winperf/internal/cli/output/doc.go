// Package output is where commands write: their flags for files and formats, the files, which keep their
// old content until there is something to write, or appear when they are complete, and the progress of
// long work.
package output
