// Package blocks is the commands dump and cook, which show what values are made of.
package blocks
