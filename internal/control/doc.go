// Package control implements the protocol between winperf experiment and programs to which
// experiments can be attached: lines of JSON over a local socket, documented in
// docs/experiments.md.
//
// Programs lists the listening programs, and Dial connects to one. Package experiment/control is
// the program's side.
package control
