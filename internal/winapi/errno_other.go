//go:build !windows

package winapi

// systemText returns "": other systems have other error numbers.
func (e Errno) systemText() string { return "" }
