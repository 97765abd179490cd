package publish

import (
	"errors"
	"fmt"
	"testing"
)

// TestLimit checks that errors that are not kept are counted, and that the same
// ones come first whatever order they were found in.
func TestLimit(t *testing.T) {
	const all = 3 * maxDamage
	for _, found := range []int{1, maxDamage, maxDamage + 1, all} {
		var errs []error
		for i := range found {
			errs = append(errs, fmt.Errorf("file %03d", found-1-i))
		}
		kept := limit(errs)
		if got := kept[0].Error(); got != "file 000" {
			t.Errorf("of %d errors %q comes first", found, got)
		}

		counted := 0
		for _, err := range kept {
			var more interface{ Count() int }
			if errors.As(err, &more) {
				counted += more.Count()
				continue
			}
			counted++
		}
		if counted != found || len(kept) > maxDamage+1 {
			t.Errorf("of %d errors %d are counted in %d", found, counted, len(kept))
		}
	}
}
