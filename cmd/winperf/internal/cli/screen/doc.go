// Package screen is the terminal view of winperf top and watch as a value: samples and keys change it, and
// Draw returns its lines. It uses no terminal and reads no source.
package screen
