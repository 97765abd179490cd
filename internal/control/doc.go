// Package control is the protocol between winperf experiment and programs that experiments can
// be attached to: lines of JSON over a local socket, which docs/experiments.md describes.
//
// Listen is the side of the program, which package experiment/control offers to all programs;
// Programs finds the programs that listen, and Dial connects to one.
package control
