//go:build linux || windows

package hostfacts

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf/sink/metrics"
)

// hostLines are values as text, without connections in states that no connection has.
func hostLines(values []metrics.HostValue) (lines []string) {
	for _, v := range values {
		if v.Metric == "windows_tcp_connections_state_count" && v.Value == 0 {
			continue
		}
		line := strings.TrimPrefix(v.Metric, "windows_")
		for _, l := range v.Labels {
			line += fmt.Sprintf(" %s=%s", l.Name, l.Value)
		}
		lines = append(lines, fmt.Sprint(line, " ", v.Value))
	}
	return lines
}
