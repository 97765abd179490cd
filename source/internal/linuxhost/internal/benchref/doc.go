// Package benchref compares package linuxhost with common libraries that read the same files. It is
// a separate module, so that winperf does not depend on these libraries.
//
//	go test -bench . ./...
package benchref
