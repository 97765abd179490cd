//go:build cgo

package main

// setOnStack does nothing: Windows has no signal handlers that interrupt a thread.
func setOnStack() {}
