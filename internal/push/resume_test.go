package push

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

// A file that cannot be written is told of before anything is sent, and what was not noted is no position.
func TestResumeNotWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	r := Resume{Name: filepath.Join(dir, "state")}
	if err := r.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the directory: %v", err)
	}
	if err := r.Sent(3, time.Now()); err == nil || !r.Until.IsZero() || r.Moments != 0 {
		t.Errorf("%v, %d until %v", err, r.Moments, r.Until)
	}

	if err := errors.Join(os.Mkdir(dir, 0o700), r.Read()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("reading leaves %v, %v", left, err)
	}
}

// A time that comes again behind all that was sent was not sent.
func TestResumeHas(t *testing.T) {
	at := time.Date(2026, 11, 23, 5, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		r      Resume
		moment int
		time   time.Time
		want   bool
	}{
		{Resume{}, 1, at, false},
		{Resume{Until: at}, 1, at, true}, // of a file that tells no number
		{Resume{Until: at}, 1000, at.Add(-time.Hour), true},
		{Resume{Until: at}, 1, at.Add(1), false},
		{Resume{Until: at, Moments: 3}, 3, at, true},
		{Resume{Until: at, Moments: 3}, 3, at.Add(1), false}, // of a log that is another one now
		{Resume{Until: at, Moments: 3}, 4, at, false},
		{Resume{Until: at, Moments: 3}, 4, at.Add(-time.Hour), false},
	} {
		if got := tt.r.Has(tt.moment, tt.time); got != tt.want {
			t.Errorf("%d until %v has %d at %v: %v", tt.r.Moments, tt.r.Until, tt.moment, tt.time, got)
		}
	}
}

func TestResume(t *testing.T) {
	r := Resume{Name: filepath.Join(t.TempDir(), "state"), Of: []string{"a.blg"}, To: "otlp+http://h"}
	if err := r.Read(); err != nil || !r.Until.IsZero() {
		t.Errorf("without a file: %v, %v", r.Until, err)
	}
	at := time.Date(2026, 11, 23, 5, 0, 0, 123456700, time.UTC)
	if err := r.Sent(3, at); err != nil {
		t.Fatal(err)
	}

	again := Resume{Name: r.Name, Of: r.Of, To: r.To}
	if err := again.Read(); err != nil || !again.Until.Equal(at) || again.Moments != 3 {
		t.Errorf("%d until %v, %v, want 3 until %v", again.Moments, again.Until, err, at)
	}
	for _, other := range []Resume{{Of: []string{"b.blg"}, To: r.To}, {Of: r.Of, To: "otlp+http://other"}} {
		other.Name = r.Name
		if err := other.Read(); !errors.Is(err, winperf.ErrBadData) || !other.Until.IsZero() {
			t.Errorf("of something else: %v", err)
		}
		if err := other.Read(); err == nil || !strings.HasPrefix(err.Error(), r.Name+": it is about") {
			t.Errorf("it says %v", err)
		}
	}
	for _, tt := range []struct {
		was, is map[string][]string
		want    string // "" is no error
	}{
		{nil, map[string][]string{}, ""},
		{map[string][]string{"path": {"a", "b"}}, map[string][]string{"path": {"a", "b"}}, ""},
		{map[string][]string{"path": {"a"}}, nil, `it is about samples that were chosen with --path "a", not without --path`},
		{nil, map[string][]string{"path": {"a"}}, `chosen without --path, not with --path "a"`},
		{map[string][]string{"path": {"a"}}, map[string][]string{"path": {"a", "b"}}, `with --path "a", not with --path "a" "b"`},
		{
			map[string][]string{"end": {"1"}, "path": {"a"}, "zone": {"x"}}, map[string][]string{"end": {"2"}, "zone": {"x"}},
			`with --end "1" and with --path "a", not with --end "2" and without --path`,
		},
	} {
		r.How = tt.was
		if err := r.Sent(3, at); err != nil {
			t.Fatal(err)
		}
		again.How, again.Until = tt.is, time.Time{}
		err := again.Read()
		switch {
		case tt.want == "" && (err != nil || !again.Until.Equal(at)):
			t.Errorf("%v, %v: %v, %v", tt.was, tt.is, again.Until, err)
		case tt.want != "" && (!errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%v, %v: %v, want %s", tt.was, tt.is, err, tt.want)
		case tt.want != "" && !again.Until.IsZero():
			t.Errorf("%v, %v: it is at %v", tt.was, tt.is, again.Until)
		}
	}
	if err := os.WriteFile(r.Name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := again.Read(); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("%v, want %v", err, winperf.ErrBadData)
	}

	none := Resume{}
	if err := errors.Join(none.Read(), none.Sent(3, at)); err != nil || !none.Until.Equal(at) {
		t.Errorf("without a name: %v, %v", none.Until, err)
	}
}
