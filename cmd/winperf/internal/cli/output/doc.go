// Package output has the flags for files and formats, output files that replace old content only when new
// content exists, and progress displays.
package output
