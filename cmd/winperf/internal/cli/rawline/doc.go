// Package rawline defines JSON lines of raw values: convert writes and cook reads them.
package rawline
