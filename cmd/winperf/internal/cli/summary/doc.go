// Package summary is the commands summary, info and compare.
package summary
