// Package benchref measures package linuxhost beside the common libraries for
// the same files. It is a module of its own, so that these libraries are no
// dependency of winperf.
//
//	go test -bench . ./...
package benchref
