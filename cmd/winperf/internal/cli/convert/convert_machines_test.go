package convert

import (
	"context"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/logs"
)

// of is a source of a system.
type of struct {
	winperf.Source
	system string
}

func (s of) Schema(context.Context) (*winperf.Schema, error) {
	return &winperf.Schema{Interface: s.system}, nil
}

// Logs of several systems have none.
func TestSystemOfLogs(t *testing.T) {
	for want, systems := range map[string][]string{
		"linux": {"local"}, "windows": {"v1", "v2"}, "": {"local", "v1"},
	} {
		var c converter
		for _, system := range systems {
			c.logs = append(c.logs, &logs.Log{Source: of{system: system}})
		}
		if got, err := c.system(t.Context()); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", systems, got, err, want)
		}
	}
}
