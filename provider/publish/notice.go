package publish

import (
	"fmt"
	"strconv"
)

// notice reports, in a view's damage, published objects that are not shown, or mistakes in
// [PublishersFile]. A program should show it but not fail, as any account could cause one.
type notice struct {
	Kind noticeKind // what it is about; Error says it in words
	Err  error      // one of the errors of this kind, the same as long as these do not change
	More int        // how many others of this kind there are
}

// noticeKind is the subject of a [notice].
type noticeKind uint8

// The kinds.
const (
	othersDamage    noticeKind = iota // files of other accounts that cannot be read
	publishersFault                   // mistakes in PublishersFile
	takenObject                       // objects that another file, or the system, has already
	othersClosed                      // files that this account may not read
	numNotices

	leftOutObject = numNotices // an object whose account is not trusted: one notice for each
)

// Topic returns the same text for notices of which one in a run of a program is enough: each
// object that is left out is a topic, as is each other kind.
func (n *notice) Topic() string {
	if n.Kind == leftOutObject {
		return n.Err.Error()
	}
	return strconv.Itoa(int(n.Kind))
}

// Error is that of Err with the number of the others.
func (n *notice) Error() string {
	text := n.Err.Error()
	if n.Kind == othersDamage {
		text = "left out, because a file of another account is invalid: " + text
	}
	if n.More > 0 {
		text += fmt.Sprintf(" (and %d more)", n.More)
	}
	return text
}

// Unwrap returns Err.
func (n *notice) Unwrap() error { return n.Err }

// notices counts by kind.
type notices [numNotices]notice

// add counts an error, and keeps the one whose text comes first in the alphabet.
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

// appendTo appends a notice of each kind that there is.
func (l *notices) appendTo(errs []error) []error {
	for kind := range l {
		if l[kind].Err != nil {
			errs = append(errs, &l[kind])
		}
	}
	return errs
}
