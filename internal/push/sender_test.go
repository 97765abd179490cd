package push

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script is a transport that answers by a list, and notes when it was asked.
type script struct {
	start   time.Time
	replies []reply // the last one again and again; a status of 0 is no answer
	asked   []time.Duration
	bodies  []string
	headers []http.Header
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	got := s.replies[min(len(s.asked), len(s.replies)-1)]
	s.asked = append(s.asked, time.Since(s.start))
	s.bodies, s.headers = append(s.bodies, string(body)), append(s.headers, r.Header)
	if got.status == 0 {
		return nil, errors.New("connection refused")
	}
	header := got.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: got.status, Header: header, Body: io.NopCloser(strings.NewReader(string(got.body)))}, nil
}

// scripted is a Sender over a script.
func scripted(t *testing.T, target Target, replies ...reply) (*Sender, *script, *teller) {
	t.Helper()
	told := &teller{}
	s, err := NewSender(target, SenderOptions{Report: told.tell})
	if err != nil {
		t.Fatal(err)
	}
	asked := &script{start: time.Now(), replies: replies}
	s.client.http.Transport = asked
	return s, asked, told
}

func send(ctx context.Context, s *Sender, n int) error {
	_, err := s.Send(ctx, set(n))
	return errors.Join(err, s.Flush(ctx))
}

const someone = "remote-write+http://me:secret@host"

// Gaps double up to a bound, each between half and the whole of that; the same request is
// sent again and again; both ends are told, without the password.
func TestGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var replies []reply
		for range 4 {
			replies = append(replies, reply{}, reply{status: 503})
		}
		replies = append(replies, reply{status: 204, header: http.Header{writtenHeader: {"2"}}})
		s, asked, told := scripted(t, Target{URL: someone, MaxGap: 10 * time.Second}, replies...)
		if err := send(t.Context(), s, 1); err != nil {
			t.Fatal(err)
		}

		for i, whole := range []time.Duration{1, 2, 4, 8, 10, 10, 10, 10} {
			whole *= time.Second
			gap := asked.asked[i+1] - asked.asked[i]
			if gap < whole/2 || gap > whole+time.Millisecond {
				t.Errorf("gap %d is %v, want %v to %v", i, gap, whole/2, whole)
			}
			if asked.bodies[i+1] != asked.bodies[0] {
				t.Errorf("try %d has another body", i+1)
			}
		}
		if c := s.Counts(); c.Sent != 2 || c.Retries != 8 || c.Requests != 1 || c.Refused != 0 || !c.Failing.IsZero() || c.Succeeded.IsZero() {
			t.Errorf("%+v", c)
		}
		said := told.all()
		if len(said) != 2 || !strings.Contains(said[0], "connection refused; trying again") ||
			!strings.Contains(said[1], "answers again") || strings.Contains(said[0]+said[1], "secret") {
			t.Errorf("told %q", said)
		}
	})
}

// Retry-After is obeyed, in both forms.
func TestObeysRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		date := time.Now().Add(100 * time.Second).UTC().Format(http.TimeFormat)
		s, asked, _ := scripted(t, Target{URL: someone},
			reply{status: 429, header: http.Header{"Retry-After": {"40"}}},
			reply{status: 503, header: http.Header{"Retry-After": {date}}},
			reply{status: 204, header: http.Header{writtenHeader: {"2"}}})
		if err := send(t.Context(), s, 1); err != nil {
			t.Fatal(err)
		}
		if got := asked.asked[1]; got < 40*time.Second || got > 41*time.Second {
			t.Errorf("the second try was after %v, want 40 s", got)
		}
		if got := asked.asked[2]; got < 100*time.Second || got > 101*time.Second {
			t.Errorf("the third try was after %v, want 100 s", got)
		}
	})
}

// What never succeeds is counted, told once a minute, and passed over; what follows is sent.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, asked, told := scripted(t, Target{URL: someone},
			reply{status: 204, header: http.Header{writtenHeader: {"2"}}},
			reply{status: 400, body: []byte("out of order")}, reply{status: 404}, reply{status: 422},
			reply{status: 204, header: http.Header{writtenHeader: {"2"}}})
		for n := range 5 {
			if n == 3 {
				time.Sleep(2 * time.Minute)
			}
			if err := send(t.Context(), s, n); err != nil {
				t.Fatal(err)
			}
		}
		if c := s.Counts(); c.Sent != 4 || c.Refused != 6 || c.Retries != 0 || c.Requests != 5 || len(asked.asked) != 5 {
			t.Errorf("%+v, %d requests", c, len(asked.asked))
		}
		said := told.all()
		if len(said) != 2 || !strings.Contains(said[0], "out of order; 2 samples") || !strings.Contains(said[1], "422") ||
			!strings.Contains(said[1], "4 samples were dropped") {
			t.Errorf("told %q", said)
		}
	})
}

// Who does not wait for as long as a target asks for does not wait at all.
func TestPatienceAndRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := func(after string) reply { return reply{status: 503, header: http.Header{"Retry-After": {after}}} }
		s, asked, told := scripted(t, Target{URL: someone, RetryTimeout: time.Minute}, busy("40"), busy("21"))
		err := send(t.Context(), s, 1)
		if !errors.Is(err, ErrRetryTimeout) || !strings.Contains(err.Error(), "in 21s: it answered 503") {
			t.Errorf("%v, want %v", err, ErrRetryTimeout)
		}
		if waited := time.Since(asked.start); len(asked.asked) != 2 || waited != 40*time.Second {
			t.Errorf("%d tries in %v", len(asked.asked), waited)
		}
		if said := told.all(); len(said) != 1 || !strings.Contains(said[0], "trying again") {
			t.Errorf("told %q", said)
		}
	})
}

// A context ends waiting, and RetryTimeout ends trying.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, asked, _ := scripted(t, Target{URL: someone, RetryTimeout: time.Minute}, reply{status: 500})
		if err := send(t.Context(), s, 1); !errors.Is(err, ErrRetryTimeout) || !strings.Contains(err.Error(), "500") {
			t.Errorf("%v, want %v", err, ErrRetryTimeout)
		}
		if last := asked.asked[len(asked.asked)-1]; last < time.Minute || last > 2*time.Minute {
			t.Errorf("gave up after %v", last)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := send(ctx, s, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the end of the context", err)
		}
	})
}

// transport is a function as a http.RoundTripper.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestStopsAfterRequest: a request that has begun when the context ends finishes if the receiver answers, and
// its series are marked as ended later. Without an answer it ends, too.
func TestStopsAfterRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, asked, _ := scripted(t, Target{URL: someone}, reply{status: 204, header: http.Header{writtenHeader: {"1"}}})
		s.opt.MarkEnded = true
		ctx, stop := context.WithCancel(t.Context())
		s.client.http.Transport = transport(func(r *http.Request) (*http.Response, error) {
			stop()
			synctest.Wait()
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			return asked.RoundTrip(r)
		})
		if err := send(ctx, s, 1); err != nil {
			t.Fatal(err)
		}
		before := len(asked.bodies)
		if err := s.End(t.Context()); err != nil || len(asked.bodies) != before+1 {
			t.Errorf("%d requests mark series as ended: %v", len(asked.bodies)-before, err)
		}

		ctx, stop = context.WithCancel(t.Context())
		s.client.http.Transport = transport(func(r *http.Request) (*http.Response, error) {
			stop()
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		if err := send(ctx, s, 2); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want the end of the context", err)
		}
	})
}

// What is there under 2.0 comes again under 1.0 to a target that does not know 2.0, however it
// says so, and only 1.0 is sent from then on.
func TestFallback(t *testing.T) {
	for _, status := range []int{200, 204, 400, 406, 415} {
		r := newReceiver(t, old(status))
		s, err := NewSender(Target{URL: r.url("remote-write")}, SenderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := send(t.Context(), s, 1); !errors.Is(err, ErrAgain) {
			t.Errorf("%d: %v, want %v", status, err, ErrAgain)
		}
		for n := range 3 {
			if err := send(t.Context(), s, n); err != nil {
				t.Errorf("%d: %v", status, err)
			}
		}
		if got := s.Counts(); got.Sent != 6 || got.Refused != 0 || r.requests != 4 {
			t.Errorf("%d: %+v, %d requests", status, got, r.requests)
		}
		s.Close()
	}
}

// Requests are what both protocols demand, with the headers of the target.
func TestHeaders(t *testing.T) {
	secrets := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(secrets, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, c := range []struct {
		target Target
		want   map[string]string
	}{
		{Target{URL: "remote-write+http://h", UserAgent: "winperf/1"}, map[string]string{
			"Content-Type":                      "application/x-protobuf;proto=io.prometheus.write.v2.Request",
			"Content-Encoding":                  "snappy",
			"X-Prometheus-Remote-Write-Version": "2.0.0",
			"User-Agent":                        "winperf/1", "Authorization": "",
		}},
		{Target{URL: "otlp+http://h", Headers: map[string]string{"x-scope-orgid": "me"}}, map[string]string{
			"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip", "X-Scope-Orgid": "me", "User-Agent": "winperf",
		}},
		{Target{URL: "otlp+http://me:secret@h"}, map[string]string{"Authorization": "Basic bWU6c2VjcmV0"}},
		{Target{URL: "otlp+http://me@h", PasswordFile: file("p", "secret\n")}, map[string]string{"Authorization": "Basic bWU6c2VjcmV0"}},
		{Target{URL: "otlp+http://h", BearerFile: file("b", "token\n")}, map[string]string{"Authorization": "Bearer token"}},
	} {
		s, asked, _ := scripted(t, c.target, reply{status: 204, header: http.Header{writtenHeader: {"2"}}})
		if err := send(t.Context(), s, 1); err != nil {
			t.Fatal(err)
		}
		for name, want := range c.want {
			if got := asked.headers[0].Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", c.target.URL, name, got, want)
			}
		}
	}
}

// A target of TLS is known by its certificate, and gets nothing if it is another.
func TestTLS(t *testing.T) {
	var got int
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		got++
		w.Header().Set(writtenHeader, "2")
	}))
	defer server.Close()
	server.Config.ErrorLog = nil
	ca := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		tls   TLS
		taken bool
	}{
		"unknown":    {TLS{}, false},
		"known":      {TLS{CAFile: ca}, true},
		"other name": {TLS{CAFile: ca, ServerName: "elsewhere"}, false},
		"any":        {TLS{Insecure: true}, true},
	} {
		got = 0
		target := Target{URL: "remote-write+" + server.URL, TLS: c.tls, RetryTimeout: time.Nanosecond}
		s, err := NewSender(target, SenderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		err = send(t.Context(), s, 1)
		if (err == nil) != c.taken || (got > 0) != c.taken {
			t.Errorf("%s: %v, %d requests", name, err, got)
		}
		if err != nil && !strings.Contains(err.Error(), "certificate") && !errors.As(err, new(x509.HostnameError)) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}

// A redirection is not followed: another host would get what is meant for this one.
func TestRedirect(t *testing.T) {
	other := newReceiver(t, takes)
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ []point) int {
		w.Header().Set("Location", other.URL)
		return http.StatusTemporaryRedirect
	})
	s, err := NewSender(Target{URL: r.url("remote-write"), RetryTimeout: time.Nanosecond}, SenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := send(t.Context(), s, 1); !errors.Is(err, ErrRetryTimeout) || other.requests > 0 {
		t.Errorf("%v, %d requests to another host", err, other.requests)
	}
}

// An answer that does not end, or never comes, ends with the timeout.
func TestSlowTarget(t *testing.T) {
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(writtenHeader, "2")
		for {
			if _, err := fmt.Fprint(w, strings.Repeat("x", 4096)); err != nil {
				return
			}
			select {
			case <-stop:
				return
			case <-r.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
		}
	}))
	defer server.Close()
	defer close(stop)
	s, err := NewSender(Target{URL: "remote-write+" + server.URL, Timeout: 5 * time.Second}, SenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := send(t.Context(), s, 1); err != nil {
		t.Error(err)
	}
}

// Several Sets are one request where there is space, in their order.
func TestBatches(t *testing.T) {
	r := newReceiver(t, takes)
	s, err := NewSender(Target{URL: r.url("remote-write"), MaxSamples: 7}, SenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 10 {
		if _, err := s.Send(t.Context(), set(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	var got []float64
	for _, p := range r.has() {
		if strings.Contains(p.series, "name=a") {
			got = append(got, p.value)
		}
	}
	if !slices.Equal(got, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) || r.requests != 3 {
		t.Errorf("%v in %d requests", got, r.requests)
	}
}
