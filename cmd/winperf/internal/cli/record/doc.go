// Package record implements the command record.
package record
