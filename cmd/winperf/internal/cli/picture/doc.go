// Package picture shows readings in place on a terminal, and scrolls them with keys.
package picture
