package consumer

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/nametable"
)

// Options configure Open. The zero Options read this machine.
type Options struct {
	// Machine is another machine, without backslashes. Windows may take long to answer, or to find
	// that the machine does not exist.
	Machine string
	// Language is a language identifier in hexadecimal, such as 407. Names are read in this language
	// and in English. "" is the user's language.
	Language string
	// Retry is the interval between attempts to add a counter set that failed, usually because its
	// provider does not run. 0 means 10 seconds.
	Retry time.Duration
	// Library is a library in place of advapi32.dll, for tests.
	Library string
}

// defaultRetry is short compared to the life of a service, and long compared to a sample.
const defaultRetry = 10 * time.Second

// closeGrace is how long Close waits for calls that do not return.
const closeGrace = time.Second

// Open opens the counter sets of a machine as a source. On systems other than Windows the error
// wraps winperf.ErrNotSupported.
func Open(opt Options) (winperf.Source, error) {
	c, err := systemCalls(opt.Library)
	if err != nil {
		return nil, err
	}
	return open(c, opt)
}

// open opens a source over the given functions.
func open(c *calls, opt Options) (*source, error) {
	if opt.Retry == 0 {
		opt.Retry = defaultRetry
	}
	s := &source{consumer: &consumer{calls: c, machine: opt.Machine}, opt: opt, machine: opt.Machine,
		line: call.NewLine()}
	if err := s.prepare(); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// source may be used by any number of goroutines.
type source struct {
	consumer *consumer
	opt      Options
	machine  string
	language language // the user's
	line     *call.Line
	catalog  catalog // used by the call on the line
	schema   atomic.Pointer[winperf.Schema]
}

// prepare determines the names of machine and language.
func (s *source) prepare() error {
	c := s.consumer.calls
	if s.machine == "" {
		name, err := c.computerName()
		if err != nil {
			return fmt.Errorf("computer name: %w", err)
		}
		s.machine = name
	}

	if s.opt.Language == "" {
		id, err := c.uiLanguage()
		if err != nil {
			return fmt.Errorf("user's language: %w", err)
		}
		s.opt.Language = fmt.Sprintf("%x", id)
	}

	var err error
	s.language, err = parseLanguage(s.opt.Language)
	return err
}

// Describe implements winperf.Source. No counter set is costly.
func (s *source) Describe() winperf.Description {
	return winperf.Description{Machine: s.machine, Costly: noneCostly}
}

func noneCostly(context.Context) (*winperf.Schema, error) { return nil, nil }

// Close implements winperf.Source.
func (s *source) Close() error { return s.line.Close(closeGrace, func() error { return nil }) }

// Schema implements winperf.Source. It returns the registered sets; sets that were removed stay in
// it.
func (s *source) Schema(ctx context.Context) (*winperf.Schema, error) {
	var schema *winperf.Schema
	var err error
	if left := s.line.Do(ctx, 0, func(ctx context.Context) { schema, err = s.refresh(ctx) }); left != nil {
		return nil, fmt.Errorf("counter sets: %w", left)
	}
	return schema, err
}

// language is a language of names.
type language struct {
	id   string // as in nametable
	lang uint32 // as in Windows
}

func (l language) english() bool { return l.id == nametable.English }

// parseLanguage parses a language identifier. A primary language, such as 7, means its default
// form, 407, because Windows needs the complete identifier.
func parseLanguage(s string) (language, error) {
	id, err := nametable.ParseLanguage(s)
	if err != nil {
		return language{}, err
	}

	// A name, or a code such as de, is converted through its id.
	number, err := strconv.ParseUint(id, 16, 32)
	if err != nil {
		return language{}, fmt.Errorf("language %q: %w", s, winperf.ErrBadData)
	}
	lang := uint32(number)
	const primary, defaultForm = 0x3FF, 0x400 // winnt.h: PRIMARYLANGID, MAKELANGID with SUBLANG_DEFAULT
	whole, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(s), "0x"), 16, 32)
	if err == nil && uint32(whole)&primary == lang&primary {
		lang = uint32(whole)
	}

	if lang <= primary {
		lang |= defaultForm
	}
	return language{id, lang}, nil
}
