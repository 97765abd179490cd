// Package wire converts between text of the Windows formats and Go strings: UTF-16LE, which most
// structures contain, and the code pages of older ones. It also folds case. It knows no structures.
package wire
