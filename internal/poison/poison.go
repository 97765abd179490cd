// Package poison overwrites memory that will be used again, so that tests find readers of
// samples and frames that are not valid any more. The build tag poison turns it on:
//
//	go test -tags poison ./...
package poison

// Bytes fills b with 0xA5.
func Bytes(b []byte) {
	for i := range b {
		b[i] = 0xA5
	}
}

// Words fills b with words of 0xA5.
func Words(b []uint64) {
	for i := range b {
		b[i] = 0xA5A5A5A5A5A5A5A5
	}
}
