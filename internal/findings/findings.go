// Package findings keeps what is found wrong in a file until somebody asks for it, in bounded
// memory: much of it may be found between two questions.
package findings

import (
	"fmt"

	"github.com/winperf/winperf"
)

// Most is how many findings a List keeps. The others are counted.
const Most = 100

// List is what was found since the last question. The zero List is empty.
type List struct {
	found []error
	more  int64
}

// Add takes a finding. It is made only if there is room for it.
func (l *List) Add(finding func() error) {
	if len(l.found) == Most {
		l.more++
		return
	}
	l.found = append(l.found, finding())
}

// Take returns the findings and forgets them. The last one says how many there was no room
// for, and wraps winperf.ErrBadData.
func (l *List) Take() []error {
	found := l.found
	if l.more > 0 {
		found = append(found, fmt.Errorf("%w: %d findings more", winperf.ErrBadData, l.more))
	}
	*l = List{}
	return found
}
