package push

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

func TestResume(t *testing.T) {
	r := Resume{Name: filepath.Join(t.TempDir(), "state"), Of: []string{"a.blg"}, To: "otlp+http://h"}
	if err := r.Read(); err != nil || !r.Until.IsZero() {
		t.Errorf("without a file: %v, %v", r.Until, err)
	}
	at := time.Date(2026, 11, 23, 5, 0, 0, 123456700, time.UTC)
	if err := r.Sent(at); err != nil {
		t.Fatal(err)
	}

	again := Resume{Name: r.Name, Of: r.Of, To: r.To}
	if err := again.Read(); err != nil || !again.Until.Equal(at) {
		t.Errorf("%v, %v, want %v", again.Until, err, at)
	}
	for _, other := range []Resume{{Of: []string{"b.blg"}, To: r.To}, {Of: r.Of, To: "otlp+http://other"}} {
		other.Name = r.Name
		if err := other.Read(); !errors.Is(err, winperf.ErrBadData) || !other.Until.IsZero() {
			t.Errorf("of something else: %v", err)
		}
	}
	if err := os.WriteFile(r.Name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := again.Read(); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("%v, want %v", err, winperf.ErrBadData)
	}

	none := Resume{}
	if err := errors.Join(none.Read(), none.Sent(at)); err != nil || !none.Until.Equal(at) {
		t.Errorf("without a name: %v, %v", none.Until, err)
	}
}
