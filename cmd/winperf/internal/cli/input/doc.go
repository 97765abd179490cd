// Package input has the flags for sources, paths, languages and times, their shell completion, functions
// that open sources and logs, and messages about missing values.
package input
