// Package live implements the commands list, get and watch.
package live
