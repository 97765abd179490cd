// Package providerdll tests cmd/winperf-provider, the provider DLL in C, and generates its header:
// the layout of published files as in package provider/publish. It contains no other code.
package providerdll

//go:generate go test -run ^TestHeader$ -write .
