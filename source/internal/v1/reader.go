package v1

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/retry"
	"github.com/winperf/winperf/internal/winapi"
)

// reader requests values until they are complete.
type reader struct {
	keys Keys
	max  int  // the largest buffer
	lost bool // the keys must be reopened
}

// Sizes of buffers in bytes.
const (
	startClass = 256 << 10 // for "Global" and "Costly"
	startList  = 64 << 10  // for title indices
	startTable = 64 << 10  // for names
	guardBytes = 4 << 10   // after every buffer; see reader.guarded
	guardByte  = 0xa5
)

// Temporary errors are retried after 10 ms, then after doubled pauses up to a second, for about
// four seconds.
const (
	maxRetries = 10
	firstPause = 10 * time.Millisecond
	maxPause   = time.Second
)

// request is a requested value.
type request struct {
	key  Key
	name []uint16
	typ  uint32 // required type
	size int    // first buffer size; updated to the last sufficient size
	// v avoids an allocation in each call.
	v Value
}

// errTooLarge means that no buffer is large enough.
var errTooLarge = errors.New("the value is too large")

var errOverrun = errors.New("the provider wrote beyond the end of its buffer")

// read requests a value and returns its bytes, in the memory of buf if that is large enough. It
// ends early when ctx ends.
func (r *reader) read(ctx context.Context, q *request, buf []byte) ([]byte, error) {
	begin := q.size
	for retries := 0; ; {
		b, err := r.guarded(ctx, q, buf)
		buf = b
		switch {
		case err == nil:
			if q.v.Type != q.typ {
				return buf, valueError(q.key, q.name,
					fmt.Errorf("the value has type %d, expected %d: %w", q.v.Type, q.typ, winperf.ErrBadData))
			}
			return buf[:q.v.Size], nil

		case errors.Is(err, winapi.ERROR_MORE_DATA), errors.Is(err, errOverrun):
			if q.size >= r.max {
				q.size = begin
				return buf, valueError(q.key, q.name,
					fmt.Errorf("%w: more than %d bytes: %w: %w", errTooLarge, r.max, err, winperf.ErrBadData))
			}
			q.size = min(2*q.size, r.max)
			if err := ctx.Err(); err != nil {
				return buf, valueError(q.key, q.name, err)
			}

		case passing(err) && retries < maxRetries:
			if err := pause(ctx, err, retries); err != nil {
				return buf, valueError(q.key, q.name, err)
			}
			retries++
		default:
			return buf, valueError(q.key, q.name, err)
		}
	}
}

// errEmpty is temporary: under load a query may return nothing, and succeed when repeated.
var errEmpty = fmt.Errorf("the value is empty: %w", winperf.ErrBadData)

// guarded makes one call. Providers write into the buffer directly and may write beyond its end.
// The call therefore gets a shortened buffer; the rest is filled with a pattern that is checked
// afterwards. A value that fills the buffer to its last byte counts as too long, because some
// servers truncate.
func (r *reader) guarded(ctx context.Context, q *request, buf []byte) ([]byte, error) {
	q.size = min(q.size, r.max)
	if cap(buf) < q.size+guardBytes {
		buf = make([]byte, q.size+guardBytes)
	}

	buf = buf[:q.size+guardBytes]
	clear(buf[:q.size]) // a provider that skips bytes must not show data of an earlier sample
	guard := buf[q.size:]
	for i := range guard {
		guard[i] = guardByte
	}

	err := r.query(ctx, q, buf[:q.size:q.size])
	for _, b := range guard {
		if b != guardByte {
			return buf, errOverrun
		}
	}

	switch {
	case err != nil:
		return buf, err
	case uint64(q.v.Size) > uint64(q.size):
		return buf, fmt.Errorf("the value has %d bytes in a buffer of %d: %w", q.v.Size, q.size,
			winperf.ErrBadData)
	case q.v.Size == 0:
		return buf, errEmpty
	case int(q.v.Size) == q.size:
		return buf, winapi.ERROR_MORE_DATA
	}
	return buf, nil
}

// query makes a call. It reopens the keys if the previous call lost the connection.
func (r *reader) query(ctx context.Context, q *request, buf []byte) error {
	if r.lost {
		if err := r.keys.Open(ctx); err != nil {
			return err
		}
		r.lost = false
	}
	err := r.keys.Query(ctx, q.key, q.name, buf, &q.v)
	if err != nil && broken(err) {
		r.lost = true
	}
	return err
}

// passing reports whether a retry may help (MS-RRP, and errors seen by consumers of performance
// data).
func passing(err error) bool {
	return errors.Is(err, errEmpty) || broken(err) || isOneOf(err,
		winapi.ERROR_BUSY, winapi.ERROR_NOT_READY, winapi.ERROR_LOCK_FAILED, winapi.WAIT_TIMEOUT)
}

// broken reports whether the keys must be reopened.
func broken(err error) bool {
	return isOneOf(err, winapi.RPC_S_SERVER_UNAVAILABLE, winapi.RPC_S_CALL_FAILED,
		winapi.ERROR_INVALID_HANDLE)
}

func isOneOf(err error, numbers ...winapi.Errno) bool {
	var e winapi.Errno
	return errors.As(err, &e) && slices.Contains(numbers, e)
}

// pause waits before the next try after a temporary error.
func pause(ctx context.Context, failed error, retries int) error {
	if !retry.Sleep(ctx, retry.Backoff(firstPause, maxPause, retries)) {
		return fmt.Errorf("%w; %w", failed, ctx.Err())
	}
	return nil
}

// limit returns the largest buffer size for an option, with a default for 0. Together with the
// guard it fits into 31 bits.
func limit(n, otherwise int) int {
	if n <= 0 {
		n = otherwise
	}
	return min(n, math.MaxInt32-guardBytes)
}
