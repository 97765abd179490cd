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

// Resume is a file that says how far a history was sent, so that sending can go on after an
// interruption. A zero Name keeps nothing.
type Resume struct {
	Name string
	// Of and To are what is sent and where; a file that says another is refused.
	Of []string
	To string
	// How says with which flags samples were chosen, named and labelled, by their names. A file that says
	// others is refused too: it may be that samples are wanted now that were left out then.
	How map[string][]string
	// Until is the time up to which all was sent; zero before anything was.
	Until time.Time
	// Moments is how many were sent that are not after it, in the order in which they are read: where a clock
	// was set back the same times come once more. 0 is any number.
	Moments int
}

// resumeFile is what the file holds.
type resumeFile struct {
	Of    []string            `json:"of"`
	To    string              `json:"to"`
	How   map[string][]string `json:"how,omitempty"`
	Until time.Time           `json:"until"`

	Moments int `json:"moments,omitempty"`
}

// Read reads the file; one that is not there says that nothing was sent. The error wraps
// winperf.ErrBadData where it is none, or of something else, and is that of the system where it cannot be
// written: better now than when something was sent.
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

// next is the name of what takes the place of the file when it is complete.
func (r *Resume) next() string { return r.Name + ".new" }

// read takes what the file says.
func (r *Resume) read(text []byte) error {
	var f resumeFile
	if err := json.Unmarshal(text, &f); err != nil {
		msg := fmt.Sprintf("it does not say how far something was sent: %v", err)
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

// Has reports whether a moment of the history was sent: which one it is, from 1, and its time.
func (r *Resume) Has(moment int, at time.Time) bool {
	return !at.After(r.Until) && (r.Moments <= 0 || moment <= r.Moments)
}

// different are the flags of one choice that another does not have the same, as a text: with --a "x" and
// without
// --b. It is "" where all are the same.
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

// flagText is a flag with its values.
func flagText(name string, values []string) string {
	text := safetext.Line("--" + name)
	const most = 5 // of thousands of paths
	for i, v := range values {
		if i == most {
			return fmt.Sprintf("%s and %d more", text, len(values)-most)
		}
		text += fmt.Sprintf(" %q", v)
	}
	return text
}

// Sent notes that a number of moments was sent, of which none is after a time.
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
