// Package wire converts text of the Windows formats from and to Go strings: UTF-16LE, used
// by most structures, and code pages of older ones. It also folds case.
package wire
