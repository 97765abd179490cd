// Package live is the commands list, get and watch.
package live
