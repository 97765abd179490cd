package publish

import (
	"fmt"
	"strconv"
)

// notice reports, in a view's damage, published objects that are not shown, or mistakes in
// [PublishersFile]. A program should show it but not fail, because any account could cause it.
type notice struct {
	Kind noticeKind // subject; Error describes it
	Err  error      // one of the errors of this kind, the same while they do not change
	More int        // number of other errors of this kind
}

type noticeKind uint8

const (
	othersDamage    noticeKind = iota // unreadable files of other accounts
	publishersFault                   // mistakes in PublishersFile
	takenObject                       // objects that another file or the system already has
	othersClosed                      // files that this account may not read
	numNotices

	omittedObject = numNotices // an object of an untrusted account, with a separate notice each
)

// Topic returns the key by which a program reports similar notices only once. Each omitted object is a
// topic, and each other kind of notice is one topic.
func (n *notice) Topic() string {
	if n.Kind == omittedObject {
		return n.Err.Error()
	}
	return strconv.Itoa(int(n.Kind))
}

// Error returns the text of Err and the number of other errors.
func (n *notice) Error() string {
	text := n.Err.Error()
	if n.Kind == othersDamage {
		text = "omitted, because a file of another account is invalid: " + text
	}
	if n.More > 0 {
		text += fmt.Sprintf(" (and %d more)", n.More)
	}
	return text
}

// Unwrap returns Err.
func (n *notice) Unwrap() error { return n.Err }

type notices [numNotices]notice

func (l *notices) add(kind noticeKind, err error) {
	n := &l[kind]
	n.Kind = kind
	if n.Err != nil {
		n.More++
	}
	if n.Err == nil || err.Error() < n.Err.Error() {
		n.Err = err
	}
}

func (l *notices) appendTo(errs []error) []error {
	for kind := range l {
		if l[kind].Err != nil {
			errs = append(errs, &l[kind])
		}
	}
	return errs
}
