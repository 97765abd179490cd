package prometheus

import "testing"

func TestNegotiate(t *testing.T) {
	for accept, want := range map[string]Format{
		"":    Text,
		"*/*": Text,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": Text,
		// Prometheus 2.42, and 3.
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1":                                                                               OpenMetrics,
		"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1": OpenMetrics,
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,text/plain;version=0.0.4;q=0.2,*/*;q=0.1":                                                                           Text,
		"application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1":                                                                                                                                OpenMetrics001,
		"application/openmetrics-text":                                          OpenMetrics,
		"Application/OpenMetrics-Text ; Version=\"1.0.0\"; Q=0.3":               OpenMetrics,
		"application/openmetrics-text;version=1.0.0,*/*":                        OpenMetrics,
		"application/openmetrics-text;version=1.0.0;q=0.4, */*":                 Text,
		"application/openmetrics-text;version=2.0.0":                            Text,
		"application/openmetrics-text;q=0":                                      Text,
		"application/openmetrics-text;q=0,*/*":                                  Text,
		"application/openmetrics-text;q=x":                                      Text,
		"application/openmetrics-text;q=2":                                      Text,
		"application/*":                                                         OpenMetrics,
		"text/*,application/*;q=0.5":                                            Text,
		"text/plain,application/openmetrics-text":                               Text,
		"text/plain;version=0.0.4;q=0.3,application/openmetrics-text;q=0.30001": OpenMetrics,
		",;,;q=1,=":        Text,
		"application/json": Text,
		"text/plain;q=0.1": Text,
		"*/*;q=0":          Text,
	} {
		if got := Negotiate(accept, false); got != want {
			t.Errorf("%q gets %q, want %q", accept, got.ContentType(), want.ContentType())
		}
		if got := Negotiate(accept, true); got != Text {
			t.Errorf("%q gets names that are for text only as %q", accept, got.ContentType())
		}
	}
}

func TestContentType(t *testing.T) {
	for format, want := range map[Format]string{
		Text:           "text/plain; version=0.0.4; charset=utf-8",
		OpenMetrics:    "application/openmetrics-text; version=1.0.0; charset=utf-8",
		OpenMetrics001: "application/openmetrics-text; version=0.0.1; charset=utf-8",
	} {
		if got := format.ContentType(); got != want {
			t.Errorf("format %d is %q, want %q", format, got, want)
		}
		if back := Negotiate(want, false); back != format {
			t.Errorf("%q asks for %q", want, back.ContentType())
		}
	}
}
