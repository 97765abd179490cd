// Package serving is the serve command.
package serving
