// Package findings collects errors found in a file in bounded memory.
package findings

import (
	"fmt"

	"github.com/winperf/winperf"
)

// Most is the number of errors that a List keeps. Others are counted.
const Most = 100

// List holds the errors since the last Take. The zero List is empty.
type List struct {
	found []error
	more  int64
}

// Add adds an error. finding is called only if there is room.
func (l *List) Add(finding func() error) {
	if len(l.found) == Most {
		l.more++
		return
	}
	l.found = append(l.found, finding())
}

// Take returns and removes the errors. The last one counts the errors that exceeded Most,
// and wraps winperf.ErrBadData.
func (l *List) Take() []error {
	found := l.found
	if l.more > 0 {
		found = append(found, fmt.Errorf("%w: %d more findings", winperf.ErrBadData, l.more))
	}
	*l = List{}
	return found
}
