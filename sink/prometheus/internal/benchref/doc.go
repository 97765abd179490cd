// Package benchref measures package prometheus beside the common libraries that write
// the same text, and reads what it writes with the parsers of Prometheus. It is a module
// of its own, so that these libraries are no dependency of winperf.
//
//	go test -bench . ./...
package benchref
