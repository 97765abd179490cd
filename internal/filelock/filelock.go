// Package filelock keeps two programs from writing one file. The system releases a lock when the
// program ends, for whatever reason.
package filelock
