// Package convert is the convert command.
package convert
