// Package providerdll holds the tests of cmd/winperf-provider, the provider DLL
// written in C, and makes its header: the layout of published files as package
// provider/publish has it. It has no code of its own.
package providerdll

//go:generate go test -run ^TestHeader$ -write .
