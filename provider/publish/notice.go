package publish

import "fmt"

// Notice stands in a view's damage for what others published that is not shown, or
// what is wrong with an owners file. It is no damage to who reads: nobody can spoil
// others' queries with it.
type Notice struct {
	Kind NoticeKind
	Err  error // one of them, the same one as long as they are the same
	More int   // how many there are beside it
}

// NoticeKind says what a [Notice] is about.
type NoticeKind uint8

// The kinds.
const (
	OthersDamage NoticeKind = iota // files of other accounts that cannot be read
	OthersObject                   // objects that belong to another account
	OwnersFault                    // mistakes in an owners file
	TakenObject                    // objects that another file, or the system, has already
	OthersClosed                   // files that this account may not read
	numNotices
)

// Error is that of Err with the number of the others.
func (n *Notice) Error() string {
	text := n.Err.Error()
	if n.Kind == OthersDamage {
		text = "left out, as other accounts' files are not right: " + text
	}
	if n.More > 0 {
		text += fmt.Sprintf(" (and %d more)", n.More)
	}
	return text
}

// Unwrap returns Err.
func (n *Notice) Unwrap() error { return n.Err }

// notices counts by kind.
type notices [numNotices]Notice

// add counts an error. Of all the one whose text comes first is kept.
func (l *notices) add(kind NoticeKind, err error) {
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
