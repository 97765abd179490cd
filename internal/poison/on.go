//go:build poison

package poison

// On reports whether memory that will be used again is overwritten after its use.
const On = true
