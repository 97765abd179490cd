//go:build linux || windows

package hostfacts

import "github.com/winperf/winperf/sink/metrics"

// value returns a value with labels, as pairs of names and values in the order of the names.
func value(metric string, v float64, labels ...string) metrics.HostValue {
	h := metrics.HostValue{Metric: metric, Value: v}
	for i := 0; i < len(labels); i += 2 {
		if labels[i+1] != "" {
			h.Labels = append(h.Labels, metrics.Label{Name: labels[i], Value: labels[i+1]})
		}
	}
	return h
}
