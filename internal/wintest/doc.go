// Package wintest finds the native libraries for tests on Windows: a provider of performance
// counters and fakes of system libraries. scripts/wine/run builds them from the C files in native,
// registers the providers and sets the environment variable with their directory. Each C file
// begins with a description. provider.c has two providers of version 1: objects 7100 to 7130, and
// one whose faults the environment variable WINPERF_BAD selects.
package wintest
