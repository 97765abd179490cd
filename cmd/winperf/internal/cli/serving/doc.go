// Package serving implements the command serve.
package serving
