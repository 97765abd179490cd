// Package record is the record command.
package record
