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

// PublishersFile is the path of the file that lists further accounts whose objects are shown. Without it
// only objects of root and of the account of the reading program are shown. Each line has a name or
// number, or * for all accounts. Text after # is a comment. The file is used only if root or the account
// of the reading program owns it and no other account may write to it.
const PublishersFile = "/etc/winperf/publishers"

const maxPublishers = 64 << 10

const administrator = 0

const (
	everyone = -2
	none     = -3
)

// trust is an ordered set of accounts whose objects are shown. The system reports the owner of a file;
// the file cannot choose it.
type trust struct {
	path    string
	own     int64
	outside int64 // number that the system reports for all accounts outside of this user namespace
	lines   []int64
	info    fs.FileInfo
	wrong   []error // invalid lines, or the reason why the file is ignored
}

const untrusted = math.MaxInt

// rank returns the position of an account: root, the reading account, the order of lines.
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

// names reports whether an account is trusted explicitly, not only by the line *.
func (t *trust) names(account int64) bool {
	known := account == administrator || account == t.own || slices.Contains(t.lines, account)
	return known && account != t.outside
}

// older compares files by the rank of the account, then by account, then by age.
func (t *trust) older(a, b *foreign) int {
	return cmp.Or(
		cmp.Compare(t.rank(a.id.owner), t.rank(b.id.owner)),
		cmp.Compare(a.id.owner, b.id.owner),
		cmp.Compare(a.id.born, b.id.born),
		cmp.Compare(a.id.device, b.id.device),
		cmp.Compare(a.id.number, b.id.number),
		cmp.Compare(a.path, b.path),
	)
}

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

func writableByOthers(info fs.FileInfo) bool {
	return ownerOf(info) >= 0 && info.Mode().Perm()&0o022 != 0
}

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

func accountOf(name string) (int64, error) {
	if name == "*" {
		return everyone, nil
	}
	if u, err := user.Lookup(name); err == nil {
		name = u.Uid
	}

	id, err := strconv.ParseUint(name, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("unknown account %q: %w", name, winperf.ErrBadData)
	}
	return int64(id), nil
}

type untrustedObject struct {
	object  string
	account int64
}

func (l untrustedObject) compare(m untrustedObject) int {
	return cmp.Or(strings.Compare(l.object, m.object), cmp.Compare(l.account, m.account))
}

func (r *Reader) untrustedError(l untrustedObject) error {
	if l.account == r.trust.outside {
		return fmt.Errorf("object %q is not shown, because its account has no number in this user namespace "+
			"(PrivateUsers=yes in a unit of systemd)", l.object)
	}
	name := r.accounts.name(l.account)
	return fmt.Errorf("object %q of %s is not shown: to show it, add the line %s to %s", l.object, name,
		strings.TrimPrefix(name, unnamed), r.trust.path)
}
