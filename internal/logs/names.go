package logs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Names makes the file names of a recording from a pattern with {time}, {date}, {mmddhhmm}, {host}
// and {serial}.
type Names struct {
	pattern string
	host    string
	serial  int // of the latest name, from 1
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// NewNames checks a pattern. suffix is inserted before the extension. several adds a serial number.
func NewNames(pattern, suffix, host string, several bool) (*Names, error) {
	extension := filepath.Ext(pattern)
	pattern = strings.TrimSuffix(pattern, extension) + suffix + extension
	for _, part := range placeholder.FindAllString(pattern, -1) {
		switch part {
		case "{time}", "{date}", "{mmddhhmm}", "{host}", "{serial}":
		default:
			const form = "%s: unknown placeholder %s; use {time}, {date}, {mmddhhmm}, {host} or {serial}"
			return nil, fmt.Errorf(form, pattern, part)
		}
	}

	n := &Names{pattern: pattern, host: safeName(host)}
	if several && !n.Numbered() {
		return NewNames(pattern, "_{serial}", host, false)
	}
	return n, nil
}

// safeName replaces characters that are not allowed in file names.
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

// Fixed returns the name if it is constant.
func (n *Names) Fixed() (name string, fixed bool) {
	return n.pattern, !placeholder.MatchString(n.pattern)
}

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

var errBusy = errors.New("another recording writes files of this name; wait for its end or use another name")

// Free returns an error while another recording writes files of the same pattern, which this one
// would overwrite. file is a file of this recording; look fails for a file that is being written.
func (n *Names) Free(file string, look func(name string) error) error {
	if !n.Numbered() {
		return nil // the single file is locked
	}
	dir := filepath.Dir(file)
	pattern := matcher(filepath.Base(n.pattern))

	// A recording locks its next file before it unlocks the current one, which a sequential check can
	// miss. If the list of files is unchanged during two checks, none was missed.
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

// forms are the expressions of placeholders.
var forms = map[string]string{
	"{time}": `\d{8}-\d{6}`, "{date}": `\d{8}`, "{mmddhhmm}": `\d{8}`, "{serial}": `(\d{6,})`,
}

// earlier returns the files of earlier recordings with the same pattern. The next serial number follows
// theirs.
func (n *Names) earlier() (names []string) {
	base := filepath.Base(n.pattern)
	expression, end := "^", 0
	for _, at := range placeholder.FindAllStringIndex(base, -1) {
		form, ok := forms[base[at[0]:at[1]]]
		if !ok { // the host
			form = regexp.QuoteMeta(n.host)
		}
		expression += regexp.QuoteMeta(base[end:at[0]]) + form
		end = at[1]
	}
	own := regexp.MustCompile(expression + regexp.QuoteMeta(base[end:]) + "$")

	names = filesLike(filepath.Dir(n.pattern), own)
	for _, name := range names {
		for _, serial := range own.FindStringSubmatch(filepath.Base(name))[1:] {
			if number, err := strconv.Atoi(serial); err == nil {
				n.serial = max(n.serial, number)
			}
		}
	}
	return names
}

func matcher(pattern string) *regexp.Regexp {
	var parts []string
	for _, text := range placeholder.Split(pattern, -1) {
		parts = append(parts, regexp.QuoteMeta(text))
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}

func filesLike(dir string, pattern *regexp.Regexp) (names []string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if f.Type().IsRegular() && pattern.MatchString(f.Name()) {
			names = append(names, filepath.Join(dir, f.Name()))
		}
	}
	return names
}
