// Package summary implements the commands summary, info and compare.
package summary
