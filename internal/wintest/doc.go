// Package wintest finds the native libraries that tests on Windows load: a
// provider of performance counters and fakes of system libraries. They are
// built from the C files in native, each a library of its own, by
// scripts/wine/run, which also registers the providers and says in the
// environment where the libraries are. What a library does is told at the head
// of its file; provider.c has two providers of version 1: objects 7100 to 7130,
// and one that misbehaves as the environment variable WINPERF_BAD says.
package wintest
