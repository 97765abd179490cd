package push

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/protobuf"
)

func TestJudge(t *testing.T) {
	second := request{samples: 10, second: true}
	confirmed := request{samples: 10, second: true, confirmed: true}
	first := request{samples: 10}
	otlp := request{samples: 10, otlp: true}

	partial, at := protobuf.Begin(nil, 1)
	partial = protobuf.String(protobuf.Uint(partial, 1, 3), 2, "too\nold")
	partial = protobuf.End(partial, at)
	warning, at := protobuf.Begin(nil, 1)
	warning = protobuf.End(protobuf.String(warning, 2, "use another endpoint"), at)

	written := func(n string) http.Header { return http.Header{writtenHeader: {n}} }
	negative := protobuf.Bytes(nil, 1, protobuf.Uint(nil, 1, 1<<63))
	all := protobuf.Bytes(nil, 1, protobuf.Uint(nil, 1, 99))
	message := http.Header{"Content-Type": {"application/x-protobuf"}}
	parameter := http.Header{"Content-Type": {"application/x-protobuf; charset=utf-8"}}
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	for _, c := range []struct {
		what    string
		request request
		reply   reply
		want    verdict
		written int
		err     string // what it says
	}{
		{"1.0 taken", first, reply{status: 204}, taken, 10, ""},
		{"2.0 taken", second, reply{204, written("10"), nil}, taken, 10, ""},
		{"2.0 taken in part", second, reply{200, written("4"), nil}, taken, 4, "stored 4 of 10"},
		{"2.0 more than was sent", second, reply{204, written("99"), nil}, taken, 10, ""},
		{"2.0 without the header, as Prometheus 2.42 answers", second, reply{status: 204}, older, 0, ""},
		{"the same later", confirmed, reply{status: 200}, older, 0, ""},
		{"2.0 with a header that is no number", second, reply{204, written("-1"), nil}, older, 0, ""},
		{"2.0 unknown", second, reply{status: 415}, older, 0, ""},
		{"2.0 unknown later", confirmed, reply{status: 415}, older, 0, ""},
		{"2.0 read as 1.0", second, reply{status: 400}, older, 0, ""},
		{"2.0 bad", confirmed, reply{400, nil, []byte("out of order\nmore")}, mixed, 0, "400 Bad Request: out of order"},
		{"2.0 bad in part", second, reply{400, written("7"), nil}, refused, 7, "400"},
		{"2.0 all bad", second, reply{400, written("0"), nil}, mixed, 0, "400"},
		{"1.0 bad", first, reply{status: 400}, mixed, 0, "400 Bad Request"},
		{"1.0 in conflict", first, reply{status: 409}, mixed, 0, "409"},
		{"1.0 not to be processed", first, reply{status: 422}, mixed, 0, "422"},
		{"1.0 unknown", first, reply{status: 415}, refused, 0, "415"},
		{"no such path", first, reply{status: 404}, refused, 0, "404"},
		{"too large", first, reply{status: 413}, larger, 0, "413"},
		{"redirect", first, reply{status: 302}, again, 0, "302"},
		{"no password", first, reply{status: 401}, again, 0, "401"},
		{"forbidden", first, reply{status: 403}, again, 0, "403"},
		{"timeout", first, reply{status: 408}, again, 0, "408"},
		{"too many", second, reply{status: 429}, again, 0, "429"},
		{"failed", second, reply{500, nil, []byte("\x1b[31m" + strings.Repeat("x", 999))}, again, 0, `500 Internal Server Error: \x1b[31mxxx`},
		{"not there", otlp, reply{status: 503}, again, 0, "503"},
		{"otlp taken", otlp, reply{200, message, nil}, taken, 10, ""},
		{"otlp in part", otlp, reply{200, message, partial}, taken, 7, `rejected 3 of 10 points: too\nold`},
		{"otlp with a warning", otlp, reply{200, message, warning}, taken, 10, ""},
		{"otlp in JSON", otlp, reply{200, http.Header{"Content-Type": {"application/json"}}, partial}, taken, 10, ""},
		{"otlp with a bad body", otlp, reply{200, message, []byte{0x0a, 0xff}}, taken, 10, ""},
		{"otlp with a page", otlp, reply{200, page, []byte("<html>")}, again, 0, "a page of HTML"},
		{"1.0 with a page", first, reply{200, page, []byte("<html>")}, again, 0, "a page of HTML"},
		{"2.0 with a page", second, reply{200, page, []byte("<html>")}, again, 0, "a page of HTML"},
		{"1.0 with something", first, reply{200, nil, []byte("\x00\xff garbage")}, taken, 10, ""},
		{"otlp in part, with a parameter", otlp, reply{200, parameter, partial}, taken, 7, "rejected 3 of 10"},
		{"otlp with less than none rejected", otlp, reply{200, message, negative}, taken, 10, ""},
		{"otlp with more than all rejected", otlp, reply{200, message, all}, taken, 0, "rejected 10 of 10"},
		{"otlp bad", otlp, reply{status: 400}, mixed, 0, "400"},
	} {
		got := evaluate(&c.request, &c.reply, time.Now())
		if got.verdict != c.want || got.written != c.written || (got.err != nil) != (c.err != "") && c.want != older {
			t.Errorf("%s: %+v, want %d and %d", c.what, got, c.want, c.written)
		}
		if c.err != "" && !strings.Contains(got.err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.what, got.err, c.err)
		}
		if got.err != nil && len(got.err.Error()) > 500 {
			t.Errorf("%s: the error has %d bytes", c.what, len(got.err.Error()))
		}
	}
}

// An answer may be anything.
func FuzzPartial(f *testing.F) {
	f.Add([]byte{0x0a, 0x02, 0x08, 0x03})
	f.Fuzz(func(t *testing.T, body []byte) {
		r := request{samples: 10, otlp: true}
		a := evaluate(&r, &reply{200, http.Header{"Content-Type": {"application/x-protobuf"}}, body}, time.Now())
		if a.verdict != taken || a.written < 0 || a.written > 10 || (a.written < 10) != (a.err != nil) {
			t.Errorf("%+v", a)
		}
	})
}
