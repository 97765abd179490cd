package push

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/winperf/winperf"
)

// Resume is a file that says how far a history was sent, so that sending can go on after an
// interruption. A zero Name keeps nothing.
type Resume struct {
	Name string
	// Of and To are what is sent and where; a file that says another is refused.
	Of []string
	To string
	// Until is the time up to which all was sent; zero before anything was.
	Until time.Time
}

// resumeFile is what the file holds.
type resumeFile struct {
	Of    []string  `json:"of"`
	To    string    `json:"to"`
	Until time.Time `json:"until"`
}

// Read reads the file; one that is not there says that nothing was sent. The error wraps
// winperf.ErrBadData where it is none, or of something else.
func (r *Resume) Read() error {
	if r.Name == "" {
		return nil
	}
	text, err := os.ReadFile(r.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	var f resumeFile
	if err := json.Unmarshal(text, &f); err != nil {
		msg := fmt.Sprintf("it does not say how far something was sent: %v", err)
		return &winperf.DataError{Source: r.Name, Msg: msg}
	}
	if f.To != r.To || !slices.Equal(f.Of, r.Of) {
		const form = "it is about %q sent to %s, not %q to %s"
		return &winperf.DataError{Source: r.Name, Msg: fmt.Sprintf(form, f.Of, f.To, r.Of, r.To)}
	}
	r.Until = f.Until
	return nil
}

// Sent notes that all up to a time was sent.
func (r *Resume) Sent(until time.Time) error {
	r.Until = until
	if r.Name == "" {
		return nil
	}
	text, err := json.Marshal(resumeFile{r.Of, r.To, until})
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.Name+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(r.Name+".new", r.Name)
}
