// Package findings stores errors found in a file until the next request, in bounded memory.
package findings

import (
	"fmt"

	"github.com/winperf/winperf"
)

// Most is the number of findings that a List stores. Further ones are counted.
const Most = 100

// List stores the findings since the last call of Take. The zero List is empty.
type List struct {
	found []error
	more  int64
}

// Add adds a finding. It calls finding only if the list is not full.
func (l *List) Add(finding func() error) {
	if len(l.found) == Most {
		l.more++
		return
	}
	l.found = append(l.found, finding())
}

// Take returns the findings and empties the list. If findings were dropped, the last error counts
// them and wraps winperf.ErrBadData.
func (l *List) Take() []error {
	found := l.found
	if l.more > 0 {
		found = append(found, fmt.Errorf("%w: %d findings more", winperf.ErrBadData, l.more))
	}
	*l = List{}
	return found
}
