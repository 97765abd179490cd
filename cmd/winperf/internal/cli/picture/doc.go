// Package picture redraws readings in place on a terminal, and scrolls them with keys.
package picture
