//go:build cgo

package main

// setOnStack does nothing: Windows has no handlers of signals that interrupt a thread.
func setOnStack() {}
