package provider

import (
	"context"
	"errors"

	"github.com/winperf/winperf/internal/call"
)

// Provider supplies objects. Its calls are as in a Windows performance extension DLL: Open, then
// Collect any number of times, then Close (Microsoft Learn, "Creating a Performance Extension DLL"). They
// never overlap, but several providers are called at the same time. Several dispatchers call the same
// provider independently: its sessions must not share mutable state.
type Provider interface {
	// Name identifies the provider in messages. It is called once.
	Name() string
	// Objects returns the declarations of all objects that the provider may write. It is called once.
	Objects() []*Object
	// Open attaches to the data. It is called before the first query for one of the objects and, after a
	// failure, again before a later query. A session that is returned after ctx has ended is used for
	// later queries.
	Open(ctx context.Context) (Session, error)
}

// Session is an opened provider.
type Session interface {
	// Collect writes the requested objects that are available. If it returns an error, its objects are
	// dropped. When ctx ends, it should return soon. The arguments must not be used after Collect has
	// returned.
	Collect(ctx context.Context, q *Query, w *Writer) error
	// Close releases everything.
	Close() error
}

// Errors of providers, in addition to errors that they return.
var (
	// ErrBusy reports that the provider has not returned from an earlier call.
	ErrBusy = call.ErrBusy
	// ErrTooLarge reports that the provider wrote more than [Options].MaxBytes.
	ErrTooLarge = errors.New("provider writes too much")
)
