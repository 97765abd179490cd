// Package publishing is the commands publish and provider.
package publishing
