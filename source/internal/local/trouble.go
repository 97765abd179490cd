package local

import (
	"fmt"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// maxTroubles is the number of anomalies that are kept. Failing providers are called at growing
// intervals, so these cover hours.
const maxTroubles = 256

// troubles holds the last maxTroubles failures of providers.
type troubles struct {
	mu   sync.Mutex
	n    uint64 // failures in total
	last [maxTroubles]winperf.Anomaly
}

// add records a failure.
func (t *troubles) add(p provider.Problem) {
	a := winperf.Anomaly{
		Kind:   winperf.ProviderFailed,
		Time:   p.Time,
		Detail: fmt.Sprintf("provider %s: %s", p.Provider, p.Stage),
		Err:    p.Err,
	}

	if p.Failures > 0 {
		a.Detail += fmt.Sprintf(": failure %d", p.Failures)
	}
	if p.Pause > 0 {
		a.Action = fmt.Sprintf("not asked for %v", p.Pause)
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	t.last[t.n%maxTroubles] = a
	t.n++
}

// since appends to buf the failures after the first n.
func (t *troubles) since(buf []winperf.Anomaly, n uint64) ([]winperf.Anomaly, uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n > maxTroubles {
		n = max(n, t.n-maxTroubles)
	}
	for ; n < t.n; n++ {
		buf = append(buf, t.last[n%maxTroubles])
	}
	return buf, t.n
}

// count returns the number of failures since the start.
func (t *troubles) count() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

// errorsSince is like since and returns errors.
func (t *troubles) errorsSince(errs []error, n uint64) ([]error, uint64) {
	list, n := t.since(nil, n)
	for i := range list {
		errs = append(errs, fmt.Errorf("%s: %w", list[i].Detail, list[i].Err))
	}
	return errs, n
}
