// Package catalogue lists the objects, instances and counters of a source, completes paths, and explains
// paths without values.
package catalogue
