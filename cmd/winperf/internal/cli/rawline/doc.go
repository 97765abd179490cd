// Package rawline has raw values as JSON lines: convert writes them, cook reads them.
package rawline
