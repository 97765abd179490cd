// Package wire turns text of the Windows formats into Go strings and back:
// UTF-16LE, which most structures hold, and the code pages that older ones may
// use. It tells, too, what texts are equal but for case. It is a leaf: it knows no
// structure.
package wire
