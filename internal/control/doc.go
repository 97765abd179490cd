// Package control is the protocol between winperf experiment and programs that accept
// experiments: lines of JSON over a local socket, documented in docs/experiments.md.
//
// Programs finds the listening programs, and Dial connects to one. Package
// experiment/control is the program's side.
package control
