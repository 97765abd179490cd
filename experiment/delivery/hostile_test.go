package delivery

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
)

// nonsense are answers of endpoints that are none.
var nonsense = map[string]func(c net.Conn){
	"hangs":         func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
	"closes":        func(net.Conn) {},
	"garbage":       func(c net.Conn) { _, _ = c.Write([]byte("\x00\xff SSH-2.0 \r\n\r\n")) },
	"half a status": func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 20")) },
	"no number":     func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 two hundred\r\n\r\n")) },
	"redirects":     func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 307 No\r\nLocation: http://127.0.0.1:1/\r\n\r\n")) },
	"endless head": func(c net.Conn) {
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n"))
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(c, "X-%d: %s\r\n", i, strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	},
	"endless news": func(c net.Conn) {
		for {
			if _, err := c.Write([]byte("HTTP/1.1 103 Early Hints\r\n\r\n")); err != nil {
				return
			}
		}
	},
	"endless body": func(c net.Conn) {
		_, _ = c.Write([]byte("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n"))
		for {
			if _, err := c.Write([]byte("5\r\nnever\r\n")); err != nil {
				return
			}
		}
	},
}

// An endpoint that hangs, dies or talks nonsense costs time and no record: when it is one again it gets
// all of them, and those who put records never wait.
func TestHTTPNonsense(t *testing.T) {
	for name, answer := range nonsense {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			defer l.Close()
			var mu sync.Mutex
			tries, got := 0, []string{}
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					mu.Lock()
					tries++
					sane := tries > 2
					mu.Unlock()
					go func() {
						defer c.Close()
						if !sane {
							_, _ = c.Read(make([]byte, 100)) // a request has begun
							answer(c)
							return
						}
						mu.Lock()
						defer mu.Unlock()
						got = append(got, takeRequests(t, c)...)
					}()
				}
			}()

			s, err := NewHTTP("http://"+l.Addr().String(), HTTPOptions{})
			must(t, err)
			d := begin(t, Options{Routes: []Route{{
				Name: "a", Sink: s, Timeout: 300 * time.Millisecond, First: time.Millisecond, Most: time.Millisecond,
			}}})
			put(t, d, records("x", 1, 100)...)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			must(t, d.Close(ctx))
			if state := d.State().Routes[0]; state.Delivered != 100 || state.Failures < 2 || state.Lost+state.Refused > 0 {
				t.Errorf("%+v", state)
			}
			mu.Lock()
			defer mu.Unlock()
			all, times := names("x", 1, 100), 0
			for ; len(got) >= len(all) && slices.Equal(got[:len(all)], all); times++ {
				got = got[len(all):] // on a slow machine it may have taken too long, and the batch came again
			}
			if times == 0 || len(got) > 0 {
				t.Errorf("it got all %d times, and then %v", times, got)
			}
		})
	}
}

// takeRequests answers the requests of a connection as an endpoint should, until its end.
func takeRequests(t *testing.T, c net.Conn) (got []string) {
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return got
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return got // the client waits no longer
		}
		got = append(got, inText(t, body)...)
		_, _ = c.Write([]byte("HTTP/1.1 204 Fine\r\n\r\n")) // what fails here fails there, too
	}
}

// What cannot be read costs itself only, also where a format has a head that is written once.
func TestFileDamage(t *testing.T) {
	good := items("a", 1, 3)
	bad := Item{Experiment: "load", Session: "a", Number: 2, JSON: []byte(`{"number":2,"values":7}`)}
	name := filepath.Join(t.TempDir(), "x.csv")
	s, err := NewFile(name, FileOptions{})
	must(t, err)
	d := begin(t, Options{})
	must(t, d.Add(Route{Name: "a", Sink: s, Linger: time.Hour}))
	for _, i := range []Item{good[0], bad, good[2]} {
		must(t, d.put(t.Context(), i.JSON))
	}
	must(t, d.Close(t.Context()))
	text, err := os.ReadFile(name)
	must(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "PDH-CSV") || !strings.Contains(lines[2], `"3"`) {
		t.Errorf("%s", text)
	}
	if state := d.State().Routes[0]; state.Refused != 1 {
		t.Errorf("%+v", state)
	}
}

// A record that no reader would take comes without its values, and says so: it stops nothing.
func TestHugeRecord(t *testing.T) {
	huge := record("x", 2)
	long := strings.Repeat("x", 400)
	for i := range 40_000 {
		path := fmt.Sprintf(`\\HOST\Object(%s %d)\Counter`, long, i)
		huge.Values = append(huge.Values, experiment.Value{Path: path, Value: counter.Int(uint64(i)), Unit: counter.Count})
	}
	talkative := record("x", 4)
	talkative.Event.Name = strings.Repeat("e", experiment.MaxRecord)
	talkative.Event.Attrs = []experiment.Attr{{Key: "text", Value: strings.Repeat("x", experiment.MaxRecord)}}
	name := filepath.Join(t.TempDir(), "x.jsonl")
	for range 2 { // the second run goes on behind the last record
		s, err := NewFile(name, FileOptions{})
		must(t, err)
		d := begin(t, Options{Routes: []Route{{Name: "a", Sink: s}}})
		put(t, d, record("x", 1), huge, record("x", 3), talkative)
		must(t, d.Close(t.Context()))
		if got := inFile(t, name); !slices.Equal(got, names("x", 1, 4)) {
			t.Errorf("%v", got)
		}
	}

	spill, err := NewSpill(Disk{Dir: t.TempDir()})
	must(t, err)
	must(t, spill.Append([]*experiment.Record{record("x", 1), huge, record("x", 3), talkative}))
	all, err := spill.Read(0, 10)
	must(t, err)
	if len(all) != 4 || len(all[1].Values) > 0 || !strings.Contains(all[1].Err, "its 40002 values are omitted") {
		t.Fatalf("%d records; %+v", len(all), all)
	}
	if e := all[3].Event; len(e.Name) != 1024 || len(e.Attrs) > 0 || !strings.Contains(all[3].Err, "values and 1 attributes are omitted") {
		t.Errorf("%+v", all[3])
	}
	must(t, spill.Close())
}
