package logs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Names makes the names of a recording's files from a pattern, which may hold {time}, {date},
// {mmddhhmm}, {host} and {serial}.
type Names struct {
	pattern string
	host    string
	serial  int // of the last name; the first one has 1
}

// placeholder is a part of a pattern.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// NewNames checks a pattern. suffix stands before the extension, and of several files each gets a
// serial number.
func NewNames(pattern, suffix, host string, several bool) (*Names, error) {
	extension := filepath.Ext(pattern)
	pattern = strings.TrimSuffix(pattern, extension) + suffix + extension
	for _, part := range placeholder.FindAllString(pattern, -1) {
		switch part {
		case "{time}", "{date}", "{mmddhhmm}", "{host}", "{serial}":
		default:
			const form = "%s: %s is unknown; there are {time}, {date}, {mmddhhmm}, {host} and {serial}"
			return nil, fmt.Errorf(form, pattern, part)
		}
	}

	n := &Names{pattern: pattern, host: safeName(host)}
	if several && !n.Numbered() {
		return NewNames(pattern, "_{serial}", host, false)
	}
	return n, nil
}

// safeName is a name that can stand in a file's name everywhere.
func safeName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, s)
}

// Numbered reports whether the names have serial numbers.
func (n *Names) Numbered() bool { return strings.Contains(n.pattern, "{serial}") }

// Fixed returns the name where there is only one, whatever the time.
func (n *Names) Fixed() (name string, fixed bool) {
	return n.pattern, !placeholder.MatchString(n.pattern)
}

// next makes the next name.
func (n *Names) next(now time.Time) string {
	n.serial++
	return strings.NewReplacer(
		"{time}", now.Format("20060102-150405"),
		"{date}", now.Format("20060102"),
		"{mmddhhmm}", now.Format("01021504"),
		"{host}", n.host,
		"{serial}", fmt.Sprintf("%06d", n.serial),
	).Replace(n.pattern)
}

// errBusy says that another recording goes on.
var errBusy = errors.New("another recording goes on with files of this name")

// Free fails while another recording writes files of the same pattern, as this one would
// overwrite them. file is one of this recording's; look fails for a file that is being written.
func (n *Names) Free(file string, look func(name string) error) error {
	if !n.Numbered() {
		return nil // its one file is locked itself
	}
	dir := filepath.Dir(file)
	pattern := matcher(filepath.Base(n.pattern))

	// A recording locks its next file before it closes the one at hand, but perhaps
	// unseen by a look at one after the other. Where no file comes
	// or goes while all are looked at twice, there was none.
	const rounds, enough = 100, 2
	var before []string
	same := 0
	for range rounds {
		files := filesLike(dir, pattern)
		if !slices.Equal(files, before) {
			same = 0
		} else if same++; same == enough {
			return nil
		}

		for _, name := range files {
			if err := look(name); err != nil {
				return err
			}
		}
		before = files
	}
	return fmt.Errorf("%s: %w", n.pattern, errBusy)
}

// matcher matches the names that a pattern may make.
func matcher(pattern string) *regexp.Regexp {
	var parts []string
	for _, text := range placeholder.Split(pattern, -1) {
		parts = append(parts, regexp.QuoteMeta(text))
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}

// filesLike are the files of a directory that a pattern matches; none where it
// cannot be read.
func filesLike(dir string, pattern *regexp.Regexp) (names []string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if f.Type().IsRegular() && pattern.MatchString(f.Name()) {
			names = append(names, filepath.Join(dir, f.Name()))
		}
	}
	return names
}
