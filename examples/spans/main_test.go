package main

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// The records have the ids of the spans that were exported under the same names.
func TestRun(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("it measures this machine")
	}
	exported := tracetest.NewInMemoryExporter()
	var out bytes.Buffer
	if err := run(t.Context(), sdk.NewTracerProvider(sdk.WithSyncer(exported)), &out); err != nil {
		t.Fatal(err)
	}

	spans := exported.GetSpans()
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	for _, span := range spans {
		want := fmt.Sprintf("%s trace=%s span=%s ", span.Name, span.SpanContext.TraceID(), span.SpanContext.SpanID())
		if bytes.Count(out.Bytes(), []byte(want)) != 1 {
			t.Errorf("there is no record %q:\n%s", want, out.String())
		}
	}
}
