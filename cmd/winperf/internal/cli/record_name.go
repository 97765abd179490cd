package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// fileNames makes the names of a recording's files from a pattern.
type fileNames struct {
	pattern string
	host    string
	serial  int // of the last name; the first one has 1
}

// placeholder is a part of a pattern.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// newFileNames checks a pattern. Of several files each gets a serial number.
func newFileNames(pattern, host string, several bool) (*fileNames, error) {
	for _, part := range placeholder.FindAllString(pattern, -1) {
		switch part {
		case "{time}", "{date}", "{mmddhhmm}", "{host}", "{serial}":
		default:
			return nil, fmt.Errorf("-o %s: %s is unknown; there are {time}, {date}, {mmddhhmm}, {host} and {serial}", pattern, part)
		}
	}

	n := &fileNames{pattern: pattern, host: safeName(host)}
	if several && !n.numbered() {
		n.pattern = beforeExtension(pattern, "_{serial}")
	}
	return n, nil
}

// beforeExtension puts a text in front of a name's extension.
func beforeExtension(name, text string) string {
	extension := filepath.Ext(name)
	return strings.TrimSuffix(name, extension) + text + extension
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

// numbered tells whether the names have serial numbers.
func (n *fileNames) numbered() bool { return strings.Contains(n.pattern, "{serial}") }

// fixed tells whether there is only one name, whatever the time.
func (n *fileNames) fixed() bool { return !placeholder.MatchString(n.pattern) }

// next makes the next name.
func (n *fileNames) next(now time.Time) string {
	n.serial++
	return n.fill(n.pattern, now)
}

// fill puts values in the place of a pattern's parts.
func (n *fileNames) fill(pattern string, now time.Time) string {
	return strings.NewReplacer(
		"{time}", now.Format("20060102-150405"),
		"{date}", now.Format("20060102"),
		"{mmddhhmm}", now.Format("01021504"),
		"{host}", n.host,
		"{serial}", fmt.Sprintf("%06d", n.serial),
	).Replace(pattern)
}

// free fails where another recording writes a file of the same pattern, whose
// files one of this would come to overwrite.
func (n *fileNames) free(now time.Time) error {
	if !n.numbered() {
		return nil // its one file is locked itself
	}
	dir, base := filepath.Split(n.pattern)
	dir = cmp.Or(n.fill(dir, now), ".")
	pattern, err := matcher(base)
	if err != nil {
		return err
	}

	// A recording locks its next file before it closes the one at hand, but perhaps
	// behind the back of who looks at them one after the other. Where no file comes
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
			if err := lookLocked(name); err != nil {
				return err
			}
		}
		before = files
	}
	return fmt.Errorf("%s: %w", n.pattern, errInUse)
}

// matcher matches the names that a pattern may make.
func matcher(pattern string) (*regexp.Regexp, error) {
	var parts []string
	for _, text := range placeholder.Split(pattern, -1) {
		parts = append(parts, regexp.QuoteMeta(text))
	}
	return regexp.Compile("^" + strings.Join(parts, ".*") + "$")
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
