package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// viewer is a client of winperf view.
type viewer struct {
	*http.Client
	address string
}

// startView runs view until the end of the test.
func startView(t *testing.T, name string) *viewer {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var stdout, stderr sharedBuffer
	status := make(chan int, 1)
	go func() {
		status <- Run(ctx, []string{"view", name, "--no-browser"}, strings.NewReader(""), &stdout, &stderr)
	}()
	t.Cleanup(func() {
		stop()
		if n := <-status; n != 0 {
			t.Errorf("status %d: %s", n, stderr.String())
		}
	})

	var found []string
	eventually(t, "the address is printed", func() bool {
		found = regexp.MustCompile(`^(http://127\.0\.0\.1:\d+)/#token=(\w+)\n`).FindStringSubmatch(stdout.String())
		return found != nil
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &viewer{&http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}, found[1] + "/api/v1/"}
	login, err := v.Post(v.address+"login", "text/plain", strings.NewReader(found[2]))
	if err != nil || login.StatusCode != http.StatusNoContent {
		t.Fatalf("%v %v", login, err)
	}
	_ = login.Body.Close()
	return v
}

// get reads an answer into a value, and returns its status.
func (v *viewer) get(t *testing.T, request string, to any) int {
	t.Helper()
	answer, err := v.Get(v.address + request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatalf("%s: %v in %.300s", request, err, text)
	}
	return answer.StatusCode
}

type viewedRange struct {
	Complete bool
	Times    []int64
	Series   []struct{ Average []*float64 }
}

// processes returns all recorded numbers of processes. On a slow machine the first answer has only some.
func (v *viewer) processes(t *testing.T) (r viewedRange, status int) {
	t.Helper()
	eventually(t, "the answer is complete", func() bool {
		r = viewedRange{}
		status = v.get(t, "range?path="+url.QueryEscape(`\System\Processes`), &r)
		return status != http.StatusOK || r.Complete
	})
	return r, status
}

type viewedSources struct {
	Sources []struct {
		Grows  bool
		Damage []string
	}
}

// TestViewCircular: a page follows the directory of a circular recording, which is empty at first. Removed
// files are a gap. A file that a kill truncated is read up to there, and one that cannot be read is damage.
// If the directory disappears, the page says so until it exists again.
func TestViewCircular(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it records this machine")
	}
	dir := filepath.Join(t.TempDir(), "rec")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	v := startView(t, dir)
	if r, status := v.processes(t); status != http.StatusOK || len(r.Times) != 0 {
		t.Errorf("empty: status %d, %v", status, r)
	}

	ctx, stop := context.WithCancel(t.Context())
	recorded := make(chan int, 1)
	var stderr sharedBuffer
	go func() {
		args := []string{"record", `\System\Processes`, "-i", "0.02", "--max-samples", "40", "--at-limit", "circular",
			"--quiet", "-o", filepath.Join(dir, "log.capture")}
		recorded <- Run(ctx, args, strings.NewReader(""), io.Discard, &stderr)
	}()
	v.followRecorder(t, dir)
	stop()
	if n := <-recorded; n != 0 {
		t.Fatalf("record: status %d: %s", n, stderr.String())
	}
	v.damageDirectory(t, dir)
}

// followRecorder asks until the first samples were removed and later ones were recorded.
func (v *viewer) followRecorder(t *testing.T, dir string) {
	t.Helper()
	var begin, end int64
	eventually(t, "samples appear and the oldest ones are removed", func() bool {
		r, status := v.processes(t)
		var sources viewedSources
		if v.get(t, "sources", &sources); status != http.StatusOK || !sources.Sources[0].Grows || len(sources.Sources[0].Damage) > 0 {
			t.Fatalf("status %d, %v", status, sources)
		}

		n := len(r.Times)
		if n == 0 {
			return false
		}
		if r.Times[n-1] < end || r.Times[0] < begin {
			t.Fatalf("from %d to %d, after %d to %d", r.Times[0], r.Times[n-1], begin, end)
		}
		if begin == 0 {
			begin = r.Times[0]
		}
		for i, value := range r.Series[0].Average {
			if value != nil && *value < 1 || i > 0 && r.Times[i] <= r.Times[i-1] {
				t.Fatalf("%v at %v", r.Series[0].Average, r.Times)
			}
		}
		end = r.Times[n-1]
		_, err := os.Stat(filepath.Join(dir, "log_000001.capture"))
		return os.IsNotExist(err) && r.Times[0] > begin
	})
}

// damageDirectory removes a file, truncates another one, adds one that is no log, and removes the directory.
func (v *viewer) damageDirectory(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.capture"))
	if err != nil || len(names) < 4 {
		t.Fatalf("%v, %v", names, err)
	}
	before, _ := v.processes(t)
	last, err := os.ReadFile(names[len(names)-2])
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		names[len(names)-2]: last[:len(last)*2/3], filepath.Join(dir, "bad.capture"): bytes.Repeat([]byte("?"), 500),
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(names[1]); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the damage is shown", func() bool {
		var sources viewedSources
		v.get(t, "sources", &sources)
		return strings.Contains(strings.Join(sources.Sources[0].Damage, "\n"), "bad.capture")
	})

	another := startView(t, dir) // without the tables of the first page
	after, status := another.processes(t)
	if n := len(after.Times); status != http.StatusOK || n == 0 || n >= len(before.Times) ||
		after.Times[n-1] != before.Times[len(before.Times)-1] {
		t.Errorf("status %d, %d samples of %d", status, len(after.Times), len(before.Times))
	}
	away := dir + " away"
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page says that the log was removed", func() bool {
		_, status := another.processes(t)
		return status == http.StatusGone
	})
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log is shown again", func() bool {
		again, status := another.processes(t)
		return status == http.StatusOK && len(again.Times) == len(after.Times)
	})
}
