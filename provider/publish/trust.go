package publish

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// PublishersFile names the accounts whose objects are shown on this machine, in addition to
// root and the account that reads: one name or number a line, * for all accounts. Text after
// # is a comment. The file counts only if root or the account that reads owns it and no
// other account may write to it.
const PublishersFile = "/etc/winperf/publishers"

// maxPublishers bounds the bytes of such a file.
const maxPublishers = 64 << 10

// administrator is root, whose objects are always shown.
const administrator = 0

// Numbers that no account has.
const (
	everyone = -2 // the line *
	none     = -3
)

// trust is the set of accounts whose objects are shown, in an order. The system reports the
// owner of a file; the file itself cannot choose it.
type trust struct {
	path    string
	own     int64 // the account that reads
	outside int64 // the number that the system reports for all accounts outside of this user namespace
	lines   []int64
	info    fs.FileInfo // of the file, nil if there is none
	wrong   []error     // lines that do not count, or the reason why the file does not
}

// untrusted is the rank of accounts whose objects are not shown.
const untrusted = math.MaxInt

// rank returns the place of an account: root, the account that reads, the order of lines.
func (t *trust) rank(account int64) int {
	if account != t.outside {
		switch account {
		case administrator:
			return 0
		case t.own:
			return 1
		}
	}

	line := slices.IndexFunc(t.lines, func(n int64) bool {
		return n == everyone || n == account && account != t.outside
	})
	if line < 0 {
		return untrusted
	}
	return 2 + line
}

// names reports whether an account is trusted by itself and not only by the line *.
func (t *trust) names(account int64) bool {
	known := account == administrator || account == t.own || slices.Contains(t.lines, account)
	return known && account != t.outside
}

// older compares files: by the rank of the account, by the account, by age.
func (t *trust) older(a, b *foreign) int {
	return cmp.Or(
		cmp.Compare(t.rank(a.id.owner), t.rank(b.id.owner)),
		cmp.Compare(a.id.owner, b.id.owner),
		cmp.Compare(a.id.born, b.id.born),
		cmp.Compare(a.id.device, b.id.device),
		cmp.Compare(a.id.number, b.id.number),
		cmp.Compare(a.path, b.path), // names of one file
	)
}

// refresh reads the file if it has changed, and reports whether it has.
func (t *trust) refresh() (changed bool) {
	info, err := os.Stat(t.path)
	if err != nil {
		changed = t.info != nil || (len(t.wrong) > 0) == absent(err)
		t.info, t.lines, t.wrong = nil, nil, nil
		if !absent(err) {
			t.wrong = []error{err}
		}
		return changed
	}

	if old := t.info; old != nil && os.SameFile(info, old) && info.ModTime().Equal(old.ModTime()) &&
		info.Size() == old.Size() && info.Mode() == old.Mode() && ownerOf(info) == ownerOf(old) {
		return false
	}

	t.info, t.lines, t.wrong = info, nil, nil
	text, err := t.read()
	if err != nil {
		t.wrong = []error{err}
		return true
	}
	t.parse(text)
	return true
}

// read reads the file unless another account may have written it.
func (t *trust) read() ([]byte, error) {
	f, err := os.Open(t.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if owner := ownerOf(info); owner != administrator && owner != t.own || writableByOthers(info) {
		const message = "%s is ignored: it must belong to root, and no other account may write to it: %w"
		return nil, fmt.Errorf(message, t.path, fs.ErrPermission)
	}

	text, err := io.ReadAll(io.LimitReader(f, maxPublishers+1))
	if err == nil && len(text) > maxPublishers {
		err = fmt.Errorf("%s: more than %d bytes: %w", t.path, maxPublishers, winperf.ErrBadData)
	}
	return text, err
}

// writableByOthers reports whether accounts other than the owner may write to a file.
func writableByOthers(info fs.FileInfo) bool {
	return ownerOf(info) >= 0 && info.Mode().Perm()&0o022 != 0
}

// parse reads the accounts, one a line. Lines that are right count even if others are wrong.
func (t *trust) parse(text []byte) {
	for i, line := range strings.Split(string(bytes.ToValidUTF8(text, nil)), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}

		account, err := accountOf(line)
		if err != nil {
			t.wrong = append(t.wrong, &winperf.DataError{Err: err, Source: t.path, Line: i + 1, Msg: err.Error()})
			continue
		}
		t.lines = append(t.lines, account)
	}
}

// accountOf returns the number of an account by its name or number.
func accountOf(name string) (int64, error) {
	if name == "*" {
		return everyone, nil
	}
	if u, err := user.Lookup(name); err == nil {
		name = u.Uid
	}

	id, err := strconv.ParseUint(name, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("there is no account %q: %w", name, winperf.ErrBadData)
	}
	return int64(id), nil
}

// leftOut is an object that is not shown, as its account is not trusted.
type leftOut struct {
	object  string
	account int64
}

// compare is the order of messages.
func (l leftOut) compare(m leftOut) int {
	return cmp.Or(strings.Compare(l.object, m.object), cmp.Compare(l.account, m.account))
}

// leftOutError names an object that is not shown and the line that shows it.
func (r *Reader) leftOutError(l leftOut) error {
	if l.account == r.trust.outside {
		return fmt.Errorf("object %q is not shown, because its account has no number in this user namespace "+
			"(PrivateUsers=yes in a unit of systemd)", l.object)
	}
	name := r.accounts.name(l.account)
	return fmt.Errorf("object %q of %s is not shown: the line %s in %s shows it", l.object, name,
		strings.TrimPrefix(name, unnamed), r.trust.path)
}
