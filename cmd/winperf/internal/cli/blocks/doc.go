// Package blocks implements the commands dump and cook.
package blocks
