// Package filelock prevents two programs from writing one file. A lock ends with its
// program.
package filelock
