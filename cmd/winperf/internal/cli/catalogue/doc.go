// Package catalogue knows the objects, instances and counters of a source or log, completes paths from them
// and says why a path has no value.
package catalogue
