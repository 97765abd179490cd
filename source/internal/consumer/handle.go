package consumer

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
)

// handle is an open query: a list of identifiers that are sampled together. Only one goroutine may
// use it at a time.
type handle struct {
	consumer *consumer
	query    uintptr
	open     bool

	data func(buf []byte) (int, error) // made once because making it allocates
	size uint32                        // size reported to data
}

// Open opens a query without identifiers.
func (c *consumer) Open() (*handle, error) {
	query, err := c.calls.openQuery(c.machine)
	if err != nil {
		return nil, &callError{function: "PerfOpenQueryHandle", err: status(err)}
	}
	h := &handle{consumer: c, query: query, open: true}
	h.data = func(buf []byte) (int, error) {
		err := c.calls.queryData(h.query, buf, &h.size)
		return int(h.size), err
	}
	return h, nil
}

// Close closes the query. A second Close does nothing.
func (h *handle) Close() error {
	if !h.open {
		return nil
	}
	h.open = false
	if err := h.consumer.calls.closeQuery(h.query); err != nil {
		return &callError{function: "PerfCloseQueryHandle", err: status(err)}
	}
	return nil
}

// errClosed returns the error for the use of a closed query.
func errClosed(function string) error {
	return &callError{function: function, err: fmt.Errorf("the query is closed: %w", winperf.ErrState)}
}

// add adds identifiers to the query and returns them with the status of each. The error is the
// error of the whole call, which may fail although some identifiers were added; see [handle.Info].
func (h *handle) add(ids ...counterset.Identifier) ([]counterset.Identifier, error) {
	const function = "PerfAddCounters"
	if !h.open {
		return nil, errClosed(function)
	}

	var b []byte
	for _, id := range ids {
		id.Status, id.Index = 0, 0
		var err error
		if b, err = counterset.AppendIdentifier(b, id); err != nil {
			return nil, &callError{function: function, set: id.Set, err: err}
		}
	}

	if len(b) > maxIdentifiers {
		return nil, &callError{function: function,
			err: fmt.Errorf("%d bytes of identifiers, at most %d are accepted", len(b), maxIdentifiers)}
	}
	err := status(h.consumer.calls.addCounters(h.query, b))
	changed, parseErr := counterset.ParseIdentifiers(b)
	if parseErr == nil && len(changed) != len(ids) {
		parseErr = fmt.Errorf("%d identifiers came back, want %d: %w", len(changed), len(ids),
			winperf.ErrBadData)
	}

	if err = errors.Join(err, parseErr); err != nil {
		return changed, &callError{function: function, err: err}
	}
	return changed, nil
}

// info returns the identifiers of the query. Index is the position of an identifier's answer in a
// sample.
func (h *handle) info() ([]counterset.Identifier, []byte, error) {
	const function = "PerfQueryCounterInfo"
	if !h.open {
		return nil, nil, errClosed(function)
	}

	b, err := grown(make([]byte, 4096), maxIdentifiers, func(buf []byte) (int, error) {
		return h.consumer.calls.queryInfo(h.query, buf)
	})
	var ids []counterset.Identifier
	if err == nil {
		ids, err = counterset.ParseIdentifiers(b)
	}

	if err != nil {
		return ids, nil, &callError{function: function, err: err}
	}
	return ids, b, nil
}

// sample takes a sample into buf's memory, or into a larger buffer, and returns it: a
// PERF_DATA_HEADER block for counterset.ParseData. The result has a spare capacity of at least
// spare bytes.
func (h *handle) sample(buf []byte, spare int) ([]byte, error) {
	const function = "PerfQueryCounterData"
	if !h.open {
		return buf[:0], errClosed(function)
	}

	free := buf[:max(0, cap(buf)-spare)]
	b, err := grown(free, maxData, h.data)
	if err != nil {
		return b[:0], &callError{function: function, err: err}
	}

	if cap(b)-len(b) < spare { // the sample grew
		b = append(make([]byte, 0, len(b)+len(b)/8+spare), b...)
	}
	return b, nil
}
