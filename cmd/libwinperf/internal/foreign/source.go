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

const (
	defaultTimeoutMS = 30_000
	defaultRetries   = 3
)

type shared struct {
	failure
	settings
	src      winperf.Source
	recorded bool

	holding sync.Mutex // guards holders; never held during calls of the source
	holders int

	mu        sync.Mutex
	names     *nametable.Names
	catalogue *sensor.Catalogue
}

func (*shared) kind() string { return "source" }

// OpenSource opens a source by URL, like source.Open. Snapshots of a live source share samples that are
// at most freshness milliseconds old; 0 means 500, less than 0 disables sharing.
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
		err := fmt.Errorf("%s has displayed values only, and no raw values: %w", url, NotSupported)
		return nil, errors.Join(err, src.Close())
	case !is.Recorded && freshness >= 0:
		if s.src, _, err = source.Share(src, time.Duration(freshness)*time.Millisecond); err != nil {
			return nil, errors.Join(err, src.Close())
		}
	}
	return s, nil
}

// CloseSource closes the handle of a source. The source itself is closed with the last of its snapshots.
func (l *Library) CloseSource(h Handle) Code {
	return on(l, h, func(s *shared) error {
		if !l.handles.remove(h) {
			return UnknownHandle
		}
		return s.release()
	})
}

func (s *settings) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.timeout())
}

func (s *shared) hold() bool {
	s.holding.Lock()
	defer s.holding.Unlock()
	if s.holders == 0 {
		return false
	}
	s.holders++
	return true
}

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

// Refresh discards names and definitions, which are otherwise read once.
func (l *Library) Refresh(h Handle) Code {
	return on(l, h, func(s *shared) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.names, s.catalogue = nil, nil
		return nil
	})
}

func (s *shared) known() (names *nametable.Names, err error) {
	err = s.reading(func() error {
		names, err = s.readNames()
		return err
	})
	return names, err
}

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
	s.names, _ = nametable.FromSchema(schema) // use the undamaged part of a table
	return s.names, nil
}

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
