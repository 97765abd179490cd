package push

import (
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/dbtest"
)

// ledger is between a Pusher and a database. It notes which values the database took, and now and then
// loses its answer.
type ledger struct {
	*httptest.Server
	t  testing.TB
	to string

	mu     sync.Mutex
	unsafe map[float64]bool // taken since take was called
}

func newLedger(t testing.TB, to string) *ledger {
	t.Helper()
	l := &ledger{t: t, to: to, unsafe: map[float64]bool{}}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the Pusher ended
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	points, err := decode(q)
	if err != nil {
		l.t.Error(err)
	}

	out, err := http.NewRequestWithContext(q.Context(), q.Method, l.to+q.URL.Path, bytes.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return
	}
	out.Header = q.Header.Clone()

	// Whoever takes what was noted waits for the answer that is under way.
	l.mu.Lock()
	defer l.mu.Unlock()
	answer, err := http.DefaultClient.Do(out)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for _, p := range points {
		if answer.StatusCode/100 == 2 {
			l.unsafe[p.value] = true
		}
	}
	if rand.IntN(4) == 0 {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body) // or the Pusher ended
}

// take returns what was noted, and forgets it.
func (l *ledger) take() map[float64]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.unsafe
	l.unsafe = map[float64]bool{}
	return was
}

func (l *ledger) noted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.unsafe)
}

// killing is a database that is killed while it is pushed to, by a Pusher that is started anew in between.
type killing struct {
	t    *testing.T
	db   *dbtest.Database
	led  *ledger
	want map[string]float64
	src  *counting
	dir  string
	kill func() // kills and starts the database
	n    int    // of kills
}

// run kills as long as there is more to do, and returns when all was sent.
func (k *killing) run(more func(n int) bool) {
	for ; more(k.n) && !k.t.Failed(); k.n++ {
		p, stop := k.begin()
		sent := p.Stats().Sent + 1 + rand.Uint64N(12)
		until(k.t, "samples", func() bool { return p.Stats().Sent >= sent })
		k.kill()
		waiting := rand.IntN(6)
		until(k.t, "a backlog", func() bool { return p.Stats().Queued.Items >= waiting })
		k.db.Start()
		if rand.IntN(2) == 0 {
			until(k.t, "an empty queue", func() bool { return p.Stats().Queued.Items == 0 })
		}
		stop()
	}

	p, stop := k.begin()
	until(k.t, "the rest", func() bool { return p.Stats().Queued.Items == 0 && p.Stats().Sent > 0 })
	stop()
	if st := p.Stats(); st.Lost+st.Queued.Dropped > 0 {
		k.t.Errorf("%+v", st)
	}
}

func (k *killing) begin() (p *Pusher, stop func()) {
	labels, _ := Identity("HOST", "linux", "1")
	return begin(k.t, Options{
		Target: Target{URL: "remote-write+" + k.led.URL, Labels: labels}, Source: k.src, Dir: k.dir,
		NewMapper: func() Mapper { return &decimals{newPlain(), k.want} },
	})
}

// times returns how long a test kills: a few times, or for as long as WINPERF_SOAK says where it is that
// which soaks.
func times(t *testing.T, soak bool) func(n int) bool {
	t.Helper()
	if !soak {
		if testing.Short() {
			t.Skip("takes long")
		}
		return func(n int) bool { return n < 3 }
	}
	duration, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK does not say how long to run")
	}
	begin := time.Now()
	return func(int) bool { return time.Since(begin) < duration }
}

// Prometheus is killed while it is pushed to, again and again, and some of its answers are lost: it has
// every value in the end, and no other.
func TestKillPrometheus(t *testing.T)     { killPrometheus(t, times(t, false)) }
func TestSoakKillPrometheus(t *testing.T) { killPrometheus(t, times(t, true)) }

func killPrometheus(t *testing.T, more func(int) bool) {
	db, begin := dbtest.Prometheus(t), time.Now()
	k := &killing{t: t, db: db, want: map[string]float64{}, src: &counting{}, dir: t.TempDir(), led: newLedger(t, db.URL)}
	k.kill = db.Kill
	k.run(more)

	// It is asked for parts, as it bounds the samples of an answer.
	got := dbtest.Samples{}
	for at := begin; at.Before(time.Now().Add(time.Minute)); at = at.Add(time.Minute) {
		maps.Copy(got, db.Queried(at.Add(time.Minute), 2*time.Minute))
	}
	k.compare(got, nil)
}

// VictoriaMetrics says that it has what it keeps in memory for some seconds, so that being killed can cost
// all since it was last ended in order; all else it has.
func TestKillVictoriaMetrics(t *testing.T)     { killVictoriaMetrics(t, times(t, false)) }
func TestSoakKillVictoriaMetrics(t *testing.T) { killVictoriaMetrics(t, times(t, true)) }

func killVictoriaMetrics(t *testing.T, more func(int) bool) {
	db, lost := dbtest.VictoriaMetrics(t), map[float64]bool{}
	k := &killing{t: t, db: db, want: map[string]float64{}, src: &counting{}, dir: t.TempDir(), led: newLedger(t, db.URL)}
	k.kill = func() {
		db.Stop()
		k.led.take()
		db.Start()
		until(t, "more samples", func() bool { return k.led.noted() > 2 })
		db.Kill()
		maps.Copy(lost, k.led.take())
	}
	k.run(more)
	until(t, "what came last", func() bool { return db.Exported()[k.last()] != 0 })
	k.compare(db.Exported(), lost)
}

// last is the key of the value that was taken last.
func (k *killing) last() (key string) {
	most := 0.0
	for name, v := range k.want {
		if v > most {
			key, most = name, v
		}
	}
	return key
}

// compare tells what a database has too much, and what it lacks but for what it may have lost: whole
// numbers, and the decimals that are next to them.
func (k *killing) compare(got dbtest.Samples, lost map[float64]bool) {
	k.t.Helper()
	missing := 0
	for key, want := range k.want {
		v, ok := got[key]
		if !ok && (lost[want] || lost[want*1e7/12_500]) {
			missing++
			continue
		}
		if !ok || v != want {
			k.t.Errorf("%s is %v (%v), want %v", key, v, ok, want)
		}
	}
	for key := range got {
		if _, ok := k.want[key]; !ok {
			k.t.Errorf("%s was never sent", key)
		}
	}
	k.t.Logf("%d kills, %d samples, %d values, %d of them lost by the database", k.n, k.src.n, len(k.want), missing)
}
