//go:build poison

package measure_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

// TestPoison shows that a build with the tag poison overwrites the bytes and readings of a cycle that is not
// valid any more, and of none that was kept.
func TestPoison(t *testing.T) {
	const filled = 0xA5
	for _, keep := range []bool{false, true} {
		c := measure.New(newRing(perftest.Small, 0), everything(t), measure.Options{})
		defer c.Close()
		cy := cycle(t, c)
		data, readings := cy.Sample.Parts[0].Block.Bytes, cy.Readings()
		wantData, wantStatus := slices.Clone(data), readings[0].Status
		if !keep {
			wantData, wantStatus = bytes.Repeat([]byte{filled}, len(data)), counter.Status(filled)
		} else if err := cy.Keep(); err != nil {
			t.Fatal(err)
		}

		cycle(t, c)
		cycle(t, c)
		if !bytes.Equal(data, wantData) || readings[0].Status != wantStatus {
			t.Errorf("kept %v: bytes %x..., status %v, want %x... and %v",
				keep, data[:8], readings[0].Status, wantData[:8], wantStatus)
		}
	}
}
