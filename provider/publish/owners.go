package publish

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// ownersFile is the name of the file in a directory for published files by which
// its administrator says which accounts publish an object. docs/publish.md
// describes it.
const ownersFile = "owners"

// maxOwners bounds the bytes of such a file.
const maxOwners = 64 << 10

// grant is a line of an owners file.
type grant struct {
	object   winperf.Pattern
	everyone bool
	accounts []int64
}

// admits reports whether the line names an account. There may be no line.
func (g *grant) admits(account int64) bool {
	return g != nil && (g.everyone || slices.Contains(g.accounts, account))
}

// owners are the lines of a directory's owners file.
type owners struct {
	info     fs.FileInfo // of the file, nil if there is none
	grants   []grant
	wrong    []error // what of it does not count
	squatted bool    // it is another account's, and so nothing of it counts
}

// name reports whether a line names the account itself.
func (o *owners) name(account int64) bool {
	return slices.ContainsFunc(o.grants, func(g grant) bool { return slices.Contains(g.accounts, account) })
}

// of returns the line about an object, the first one that names it; nil if there
// is none.
func (o *owners) of(object string) *grant {
	for i := range o.grants {
		if o.grants[i].object.Match(object) {
			return &o.grants[i]
		}
	}
	return nil
}

// read reads a directory's owners file if it has changed, and reports whether it has.
// Only the directory's owner and the administrator may have written it. Lines that are
// right count even if others are wrong.
func (o *owners) read(dir string, dirOwner int64) (changed bool) {
	path := filepath.Join(dir, ownersFile)
	info, err := os.Lstat(path)
	if err != nil {
		before := *o
		*o = owners{}
		if !absent(err) {
			o.wrong = []error{err}
		}
		return before.info != nil || len(before.wrong) != len(o.wrong)
	}

	if old := o.info; old != nil && os.SameFile(info, old) &&
		info.ModTime().Equal(old.ModTime()) && info.Size() == old.Size() && info.Mode() == old.Mode() {
		return false
	}

	owner := ownerOf(info)
	*o = owners{info: info, squatted: owner != administrator && owner != dirOwner}
	text, err := readOwners(path, dirOwner)
	if err != nil {
		o.wrong = []error{err}
		return true
	}
	o.parse(path, text)
	return true
}

// readOwners reads an owners file that the directory's owner or the administrator has
// written.
func readOwners(path string, dirOwner int64) ([]byte, error) {
	f, id, err := openIdentified(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	if id.writable || id.owner != administrator && id.owner != dirOwner {
		const message = "%s is ignored: it must belong to root or to the directory's owner, " +
			"and nobody else may write to it: %w"
		return nil, fmt.Errorf(message, path, fs.ErrPermission)
	}

	text, err := io.ReadAll(io.LimitReader(f, maxOwners+1))
	if err == nil && len(text) > maxOwners {
		err = fmt.Errorf("%s: more than %d bytes: %w", path, maxOwners, winperf.ErrBadData)
	}
	return text, err
}

// parse reads the lines: accounts, separated by commas, blanks, and the name of
// an object.
func (o *owners) parse(path string, text []byte) {
	for i, line := range strings.Split(string(bytes.ToValidUTF8(text, nil)), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		end := strings.IndexAny(line, " \t")
		if end < 0 {
			const message = "an account without an object, want ACCOUNT[,ACCOUNT...] OBJECT"
			o.wrong = append(o.wrong, &winperf.DataError{Source: path, Line: i + 1, Msg: message})
			continue
		}

		g := grant{object: winperf.CompilePattern(strings.TrimSpace(line[end:]))}
		for account := range strings.SplitSeq(line[:end], ",") {
			if err := g.add(account); err != nil {
				o.wrong = append(o.wrong, &winperf.DataError{Err: err, Source: path, Line: i + 1,
					Msg: err.Error()})
			}
		}
		o.grants = append(o.grants, g)
	}
}

// add adds an account by its name or number, or * for all.
func (g *grant) add(account string) error {
	if account == "*" {
		g.everyone = true
		return nil
	}

	number := account
	if u, err := user.Lookup(account); err == nil {
		number = u.Uid
	}

	id, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return fmt.Errorf("there is no account %q: %w", account, winperf.ErrBadData)
	}
	g.accounts = append(g.accounts, int64(id))
	return nil
}
