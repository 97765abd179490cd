// Package poison overwrites memory that will be used again, so that tests find readers of
// samples and frames that are not valid any more. The build tag poison turns it on:
//
//	go test -tags poison ./...
package poison

// Bytes fills b with 0xA5.
func Bytes[B ~byte](b []B) { fill(b, 0xA5) }

// Words fills b with words of 0xA5.
func Words[W ~uint64](b []W) { fill(b, 0xA5A5A5A5A5A5A5A5) }

// fill copies, which the race detector checks as one access.
func fill[T any](b []T, with T) {
	if len(b) == 0 {
		return
	}
	b[0] = with
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
