//go:build !windows

package winapi

// systemText has nothing to add: other systems number their errors otherwise.
func (e Errno) systemText() string { return "" }
