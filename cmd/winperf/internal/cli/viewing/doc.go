// Package viewing implements the command view.
package viewing
