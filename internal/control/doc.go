// Package control is the protocol between winperf experiment and programs that experiments can
// be attached to: lines of JSON over a local socket, documented in docs/experiments.md.
//
// Programs finds the programs that listen, and Dial connects to one. Package experiment/control is
// the program's side.
package control
