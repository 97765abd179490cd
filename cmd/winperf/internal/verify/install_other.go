//go:build !windows

package verify

import "os"

// elevated returns true: only Windows has prompts without all rights of their account.
func elevated() bool { return true }

func makeDirectory(dir string) error { return os.MkdirAll(dir, 0o700) }
