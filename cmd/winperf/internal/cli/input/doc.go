// Package input is what commands have that read counters: flags for sources, paths, languages and times,
// their completion in a shell, opened sources and logs, and messages about values that are missing.
package input
