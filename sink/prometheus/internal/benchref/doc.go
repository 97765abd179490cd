// Package benchref compares package prometheus with common libraries: their encoders in benchmarks,
// and Prometheus' parsers as a test of the output. It is a separate module, so that winperf does
// not depend on these libraries.
//
//	go test -bench . ./...
package benchref
