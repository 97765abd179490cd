package experiment

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
)

// Signals emits an event for each signal that the process receives. The signals have no other effect
// while the experiment is attached.
type Signals struct {
	Name    string
	Signals []os.Signal
}

// Describe implements [EventSource].
func (s Signals) Describe() EventSourceInfo {
	names := make([]string, len(s.Signals))
	for i, sig := range s.Signals {
		names[i] = sig.String()
	}
	return EventSourceInfo{
		Name: s.Name, Kind: "signal", Events: []string{s.Name}, Detail: strings.Join(names, ", "),
	}
}

func (s Signals) check() error {
	if len(s.Signals) == 0 { // Notify would take all signals
		return errors.New("expected a signal")
	}
	return nil
}

// Run implements [EventSource].
func (s Signals) Run(ctx context.Context, out *Emitter) error {
	got := make(chan os.Signal, 64)
	signal.Notify(got, s.Signals...)
	defer signal.Stop(got)
	for {
		select {
		case sig := <-got:
			out.Event(ctx, s.Name, Attr{"signal", sig.String()})
		case <-ctx.Done():
			return nil
		}
	}
}
