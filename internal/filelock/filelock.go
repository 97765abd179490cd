// Package filelock keeps two programs from writing one file. A lock ends with the
// program that holds it, however that ends.
package filelock
