package push

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/safetext"
)

// Resume is a file with the progress of sending a history, to continue after an
// interruption. A zero Name keeps nothing.
type Resume struct {
	Name string
	// Of and To are the source and the target. A file of others is refused.
	Of []string
	To string
	// How holds the flags, by name, that select, name and label samples. A file with other
	// flags is refused, because samples omitted before may be needed now.
	How map[string][]string
	// Until is the time up to which all was sent, or zero.
	Until time.Time
	// Moments is the number of samples sent up to Until, in reading order: times may repeat
	// after a clock was set back. 0 is any number.
	Moments int
}

type resumeFile struct {
	Of    []string            `json:"of"`
	To    string              `json:"to"`
	How   map[string][]string `json:"how,omitempty"`
	Until time.Time           `json:"until"`

	Moments int `json:"moments,omitempty"`
}

// Read reads the file; a missing file means that nothing was sent. The error wraps
// winperf.ErrBadData if the file is invalid or of another history, and is the system's if
// the file cannot be written: better now than after sending.
func (r *Resume) Read() error {
	if r.Name == "" {
		return nil
	}
	text, err := os.ReadFile(r.Name)
	switch {
	case err == nil:
		err = r.read(text)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err == nil {
		err = os.WriteFile(r.next(), nil, 0o600)
	}
	if err != nil {
		return err
	}
	return os.Remove(r.next())
}

func (r *Resume) next() string { return r.Name + ".new" }

func (r *Resume) read(text []byte) error {
	var f resumeFile
	if err := json.Unmarshal(text, &f); err != nil {
		msg := fmt.Sprintf("not a file of --resume: %v", err)
		return &winperf.DataError{Source: r.Name, Offset: -1, Msg: msg}
	}
	if f.To != r.To || !slices.Equal(f.Of, r.Of) {
		const form = "it is about %q sent to %s, not %q to %s"
		return &winperf.DataError{Source: r.Name, Offset: -1, Msg: fmt.Sprintf(form, f.Of, f.To, r.Of, r.To)}
	}
	if was, is := different(f.How, r.How), different(r.How, f.How); was != "" {
		const form = "it is about samples that were chosen %s, not %s: expected the same as then, or another file"
		return &winperf.DataError{Source: r.Name, Offset: -1, Msg: fmt.Sprintf(form, was, is)}
	}
	r.Until, r.Moments = f.Until, f.Moments
	return nil
}

// Has reports whether a sample of the history was sent, by its number, from 1, and its
// time.
func (r *Resume) Has(moment int, at time.Time) bool {
	return !at.After(r.Until) && (r.Moments <= 0 || moment <= r.Moments)
}

// different returns the flags that differ from another choice, as text: with --a "x" and
// without --b; or "".
func different(of, other map[string][]string) string {
	both := maps.Clone(other)
	if both == nil {
		both = map[string][]string{}
	}
	maps.Copy(both, of)

	var parts []string
	for _, name := range slices.Sorted(maps.Keys(both)) {
		switch values, has := of[name]; {
		case slices.Equal(values, other[name]):
		case has:
			parts = append(parts, "with "+flagText(name, values))
		default:
			parts = append(parts, "without "+flagText(name, nil))
		}
	}
	return strings.Join(parts, " and ")
}

func flagText(name string, values []string) string {
	text := safetext.Line("--" + name)
	const most = 5 // of possibly thousands of paths
	for i, v := range values {
		if i == most {
			return fmt.Sprintf("%s and %d more", text, len(values)-most)
		}
		text += fmt.Sprintf(" %q", v)
	}
	return text
}

// Sent registers that a number of samples was sent, all up to a time.
func (r *Resume) Sent(moments int, until time.Time) error {
	if r.Name != "" {
		text, err := json.Marshal(resumeFile{r.Of, r.To, r.How, until, moments})
		if err != nil {
			return err
		}
		if err := os.WriteFile(r.next(), append(text, '\n'), 0o600); err != nil {
			return err
		}
		if err := os.Rename(r.next(), r.Name); err != nil {
			return err
		}
	}
	r.Until, r.Moments = until, moments
	return nil
}
