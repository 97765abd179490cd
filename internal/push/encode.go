package push

import (
	"bytes"
	"compress/gzip"
	"net/http"

	"github.com/winperf/winperf/internal/push/internal/otlp"
	"github.com/winperf/winperf/internal/push/internal/remotewrite"
	"github.com/winperf/winperf/sink/metrics"
)

type request struct {
	body      []byte
	header    http.Header
	samples   int
	otlp      bool
	second    bool
	confirmed bool // the receiver has answered as 2.0 requires
}

// encoder makes requests of Sets. An error of send ends either method; unsent samples are
// then lost.
type encoder interface {
	encode(set *metrics.Set, send func(*request) error, more []metrics.Label) error
	// end encodes that the series of a Set have ended.
	end(set *metrics.Set, send func(*request) error) error
	flush(send func(*request) error) error
}

type writeEncoder struct{ *remotewrite.Encoder }

func newWriteEncoder(t *Target, v remotewrite.Version) encoder {
	return writeEncoder{remotewrite.NewEncoder(remotewrite.Options{
		Version: v, Labels: t.Labels, MaxSamples: t.MaxSamples, MaxBytes: t.MaxBytes,
	})}
}

func (e writeEncoder) encode(set *metrics.Set, send func(*request) error, more []metrics.Label) error {
	return e.Encode(set, func(r *remotewrite.Request) error { return send(writeRequest(r)) }, more...)
}

func (e writeEncoder) end(set *metrics.Set, send func(*request) error) error {
	return e.End(set, func(r *remotewrite.Request) error { return send(writeRequest(r)) })
}

func (e writeEncoder) flush(send func(*request) error) error {
	return e.Flush(func(r *remotewrite.Request) error { return send(writeRequest(r)) })
}

func writeRequest(r *remotewrite.Request) *request {
	return &request{
		body: r.Body, samples: r.Samples, second: r.Version == remotewrite.V2,
		header: http.Header{
			"Content-Encoding":                  {"snappy"},
			"Content-Type":                      {r.Version.ContentType()},
			"X-Prometheus-Remote-Write-Version": {r.Version.String()},
		},
	}
}

type otlpEncoder struct {
	*otlp.Encoder
	packed bytes.Buffer
	zip    *gzip.Writer
}

func newOTLPEncoder(t *Target, version string) encoder {
	opt := otlp.Options{
		Resource: t.Resource, PerMachine: t.PerMachine, Version: version,
		MaxPoints: t.MaxSamples, MaxBytes: t.MaxBytes,
	}
	if len(t.PerMachine) > 0 {
		opt.Machine = "instance"
	}
	e := &otlpEncoder{Encoder: otlp.NewEncoder(opt)}
	e.zip = gzip.NewWriter(&e.packed)
	return e
}

func (e *otlpEncoder) encode(set *metrics.Set, send func(*request) error, more []metrics.Label) error {
	return e.Encode(set, func(r *otlp.Request) error { return e.send(r, send) }, more...)
}

func (e *otlpEncoder) end(set *metrics.Set, send func(*request) error) error {
	return e.End(set, func(r *otlp.Request) error { return e.send(r, send) })
}

func (e *otlpEncoder) flush(send func(*request) error) error {
	return e.Flush(func(r *otlp.Request) error { return e.send(r, send) })
}

func (e *otlpEncoder) send(r *otlp.Request, send func(*request) error) error {
	e.packed.Reset()
	e.zip.Reset(&e.packed)
	if _, err := e.zip.Write(r.Body); err != nil {
		return err
	}
	if err := e.zip.Close(); err != nil {
		return err
	}
	return send(&request{
		body: e.packed.Bytes(), samples: r.Points, otlp: true,
		header: http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/x-protobuf"}},
	})
}
