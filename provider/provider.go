package provider

import (
	"context"
	"errors"

	"github.com/winperf/winperf/internal/call"
)

// Provider delivers objects. Its calls are those of a Windows performance
// extension DLL: Open, then Collect any number of times, then Close (Microsoft
// Learn, "Creating a Performance Extension DLL"). They never overlap, but
// several providers are called at the same time. A provider that is given to
// several dispatchers is called by each of them regardless of the others: its
// sessions must share nothing that changes.
type Provider interface {
	// Name tells the provider from others in messages. It is called once.
	Name() string
	// Objects returns the declarations of all objects that it may deliver.
	// It is called once.
	Objects() []*Object
	// Open attaches to the data. It is called before the first query that
	// wants one of the objects and, when it failed, before a later one. A
	// session that is returned when ctx has ended is used all the same.
	Open(ctx context.Context) (Session, error)
}

// Session is an opened provider.
type Session interface {
	// Collect writes the wanted objects that can be had now. What it wrote
	// before it returns an error is dropped. When ctx ends, what it writes is
	// wanted no more, and it should return soon. The arguments must not be
	// used after it has returned.
	Collect(ctx context.Context, q *Query, w *Writer) error
	// Close releases everything.
	Close() error
}

// Errors about providers, beside those that a provider returns itself.
var (
	// ErrBusy: the provider has not returned from an earlier call.
	ErrBusy = call.ErrBusy
	// ErrTooLarge: the provider wrote more than [Options].MaxBytes.
	ErrTooLarge = errors.New("provider writes too much")
)
