//go:build !windows

package verify

// systemProgram returns "": only Windows has these programs.
func systemProgram(string) string { return "" }
