// Package server runs the handler of package serve as a program: listeners, TLS, systemd, configuration,
// push.
package server

import (
	"math"
	"sync"
	"time"

	"github.com/winperf/winperf/sink/metrics"
)

var noLabels = metrics.NewRows([][]metrics.Label{nil}, nil)

type about struct {
	mu     sync.Mutex
	reload bool      // the last reload succeeded
	loaded time.Time // time of the configuration in use
	push   *pushes   // of the configuration in use; nil without targets
}

func (a *about) reloaded(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reload = err == nil; a.reload {
		a.loaded = time.Now()
	}
}

func (a *about) pushes(p *pushes) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.push = p
}

// families returns the metrics. Metrics about pushes have no rows without targets.
func (a *about) families(now time.Time) []metrics.Family {
	a.mu.Lock()
	defer a.mu.Unlock()
	successful := uint64(0)
	if a.reload {
		successful = 1
	}
	loaded := math.Float64bits(float64(a.loaded.UnixMilli()) / 1e3)

	list := []metrics.Family{{
		Name: "winperf_config_last_reload_successful", Type: metrics.Gauge,
		Help:    "1 if the last reload of the configuration succeeded.",
		Columns: []metrics.Column{{Rows: noLabels, Bits: []uint64{successful}}},
	}, {
		Name: "winperf_config_last_reload_success_timestamp_seconds", Type: metrics.Gauge, Unit: "seconds",
		Help:    "Time when the configuration in use was loaded, since 1970.",
		Columns: []metrics.Column{{Rows: noLabels, Form: metrics.Float, Bits: []uint64{loaded}}},
	}}
	return append(list, a.push.families(now)...)
}
