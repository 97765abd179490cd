// Package publishing implements the commands publish and provider.
package publishing
