// Package verifying contains the command verify.
package verifying
