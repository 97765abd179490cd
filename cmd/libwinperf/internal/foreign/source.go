package foreign

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/source"
)

// What a new source is set to.
const (
	defaultTimeoutMS = 30_000
	defaultRetries   = 3
)

// shared is a source with the snapshots that use it.
type shared struct {
	failure
	settings
	src      winperf.Source
	recorded bool

	holding sync.Mutex // guards holders; never held while the source is asked for something
	holders int        // the handle, the snapshots, and who reads names

	mu        sync.Mutex // guards what follows
	names     *nametable.Names
	catalogue *sensor.Catalogue // definitions; nil as long as nobody asked
}

func (*shared) kind() string { return "source" }

// OpenSource opens a source by URL, as source.Open does. The snapshots of a live one share
// samples that are no older than freshness in milliseconds; 0 is 500, and less than 0 shares nothing.
func (l *Library) OpenSource(url string, freshness int32) (Handle, Code) {
	s, err := l.open(url, freshness)
	if err == nil {
		var h Handle
		if h, err = l.handles.add(s); err == nil {
			return h, OK
		}
		err = errors.Join(err, s.release())
	}
	l.setError(err)
	return 0, codeOf(err)
}

func (l *Library) open(url string, freshness int32) (*shared, error) {
	s := &shared{holders: 1}
	s.begin(defaultTimeoutMS, defaultRetries, 1)
	ctx, cancel := s.within(context.Background())
	defer cancel()

	src, err := l.openSource(ctx, url)
	if err != nil {
		return nil, err
	}
	is := src.Describe()
	s.src, s.recorded = src, is.Recorded

	switch {
	case is.Cooked:
		err := fmt.Errorf("%s holds displayed values, and no objects with raw ones: %w", url, NotSupported)
		return nil, errors.Join(err, src.Close())
	case !is.Recorded && freshness >= 0:
		if s.src, _, err = source.Share(src, time.Duration(freshness)*time.Millisecond); err != nil {
			return nil, errors.Join(err, src.Close())
		}
	}
	return s, nil
}

// CloseSource takes the handle of a source out of use. The source itself is closed with the
// last of its snapshots.
func (l *Library) CloseSource(h Handle) Code {
	return on(l, h, func(s *shared) error {
		if !l.handles.remove(h) {
			return UnknownHandle
		}
		return s.release()
	})
}

// within returns a context that ends when the time for an operation has passed.
func (s *settings) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.timeout())
}

// hold counts one more user, unless there is none any more.
func (s *shared) hold() bool {
	s.holding.Lock()
	defer s.holding.Unlock()
	if s.holders == 0 {
		return false
	}
	s.holders++
	return true
}

// release closes the source with its last user.
func (s *shared) release() error {
	s.holding.Lock()
	s.holders--
	last := s.holders == 0
	s.holding.Unlock()
	if !last {
		return nil
	}
	return s.src.Close()
}

// Refresh forgets names and definitions, which are read once else.
func (l *Library) Refresh(h Handle) Code {
	return on(l, h, func(s *shared) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.names, s.catalogue = nil, nil
		return nil
	})
}

// known returns the names that the source has, read once.
func (s *shared) known() (names *nametable.Names, err error) {
	err = s.reading(func() error {
		names, err = s.readNames()
		return err
	})
	return names, err
}

// reading does something with names and definitions. The source stays open for as long.
func (s *shared) reading(do func() error) error {
	if !s.hold() {
		return fmt.Errorf("the source was closed: %w", UnknownHandle)
	}
	s.mu.Lock()
	err := do()
	s.mu.Unlock()
	return errors.Join(err, s.release())
}

func (s *shared) readNames() (*nametable.Names, error) {
	if s.names != nil {
		return s.names, nil
	}
	ctx, cancel := s.within(context.Background())
	defer cancel()

	schema, err := s.src.Schema(ctx)
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	s.names, _ = nametable.FromSchema(schema) // a damaged table serves as far as it goes
	return s.names, nil
}

// defined returns the definitions of all objects that the source has, and the names, read once.
func (s *shared) defined() (c *sensor.Catalogue, names *nametable.Names, err error) {
	err = s.reading(func() error {
		if names, err = s.readNames(); err != nil {
			return err
		}
		c, err = s.readDefinitions()
		return err
	})
	return c, names, err
}

func (s *shared) readDefinitions() (*sensor.Catalogue, error) {
	if s.catalogue != nil {
		return s.catalogue, nil
	}
	ctx, cancel := s.within(context.Background())
	defer cancel()

	c, err := sensor.ReadCatalogue(ctx, s.src, sensor.CatalogueOptions{Definitions: true})
	if err != nil {
		return nil, fmt.Errorf("definitions: %w", err)
	}
	s.catalogue = c
	return c, nil
}
