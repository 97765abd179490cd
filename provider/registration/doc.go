// Package registration declares the objects and counters of a provider. A [Declaration] is written as
// JSON or made in Go; winperf provider generates the files that register counters on Windows from it.
package registration
