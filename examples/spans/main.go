// Spans measures an OpenTelemetry span of a program: the records of an experiment contain the trace and
// span ids of their events, so that records and spans can be compared.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/source"
)

func main() {
	provider := sdk.NewTracerProvider() // use the provider that exports your spans
	if err := run(context.Background(), provider, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "spans:", err)
		os.Exit(1)
	}
}

// links returns the trace and span of an event. No other code connects winperf with OpenTelemetry.
func links(ctx context.Context) (traceID, spanID, task string) {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return "", "", ""
	}
	return span.TraceID().String(), span.SpanID().String(), ""
}

// run measures a request, which is a span, and the query in it.
func run(ctx context.Context, provider trace.TracerProvider, out io.Writer) error {
	machine, err := source.Open(ctx, "local:")
	if err != nil {
		return err
	}
	defer machine.Close()

	e, err := attach(ctx, machine)
	if err != nil {
		return err
	}
	serve(ctx, provider.Tracer("orders"))
	if err := e.Detach(ctx); err != nil {
		return err
	}

	records, err := e.Next(ctx, 100)
	for _, r := range records {
		if r.Kind != experiment.Change {
			fmt.Fprintf(out, "%s trace=%s span=%s %s\n", r.Event.Name, r.Event.Trace, r.Event.SpanID, r.Values[0].Path)
		}
	}
	return err
}

// attach begins an experiment over the events of this program.
func attach(ctx context.Context, machine winperf.Source) (*experiment.Experiment, error) {
	path, err := winperf.ParsePath(`\System\Processes`)
	if err != nil {
		return nil, err
	}
	e, err := experiment.New(experiment.Options{
		Sources:  []sensor.Origin{{Source: machine}},
		Bindings: []experiment.Binding{{Events: []string{"*"}, Paths: []winperf.Path{path}}},
		Links:    links,
	})
	if err != nil {
		return nil, err
	}
	return e, e.Attach(ctx)
}

// serve serves a request in a span with an inner span.
func serve(ctx context.Context, tracer trace.Tracer) {
	ctx, span := tracer.Start(ctx, "request")
	defer span.End()
	ctx, region := experiment.Region(ctx, "request")
	defer region.End()

	ctx, query := tracer.Start(ctx, "query")
	defer query.End()
	experiment.Event(ctx, "query")
}
