// Package winapi declares every Windows call and structure that winperf uses. No other
// package imports golang.org/x/sys/windows.
//
// Each call has a //sys line in the form of mkwinsyscall, and a wrapper. The lines are not
// used to generate code, because tests replace libraries by fakes built from the project's
// own C source. A missing library or function is an error that names it.
//
// Structures, constants and error numbers are in files for every system, so that their
// sizes and offsets are tested on every system, and against the headers of mingw-w64 if
// installed. Calls are in files that end in _windows.go.
package winapi
