package publish

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf"
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
		last := kept[len(kept)-1].Error()
		want := fmt.Sprintf("and %d more published files or instances", found-maxDamage)
		if found > maxDamage && last != want {
			t.Errorf("the last of %d errors is %q", found, last)
		}
	}
}

// TestBrief: a text of another account is cut between two characters.
func TestBrief(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("x", maxText):         strings.Repeat("x", maxText),
		strings.Repeat("x", maxText+1):       strings.Repeat("x", maxText) + "...",
		strings.Repeat("x", maxText-1) + "ü": strings.Repeat("x", maxText-1) + "...",
		strings.Repeat("ü", maxText):         strings.Repeat("ü", maxText/2) + "...",
	} {
		if got := brief(text); got != want {
			t.Errorf("of %d bytes: %q", len(text), got)
		}
	}
}

// TestNotice: a notice has the text of its error and the number of others, and its topic is reported once.
func TestNotice(t *testing.T) {
	cause := fmt.Errorf("file x: %w", winperf.ErrBadData)
	for _, tt := range []struct {
		of          notice
		text, topic string
	}{
		{notice{Kind: takenObject, Err: cause}, "file x: bad data", "2"},
		{notice{Kind: othersClosed, Err: cause, More: 3}, "file x: bad data (and 3 more)", "3"},
		{
			notice{Kind: othersDamage, Err: cause, More: 1},
			"omitted, because a file of another account is invalid: file x: bad data (and 1 more)", "0",
		},
		{notice{Kind: omittedObject, Err: cause}, cause.Error(), cause.Error()},
	} {
		got, topic := tt.of.Error(), tt.of.Topic()
		if got != tt.text || topic != tt.topic || !errors.Is(&tt.of, winperf.ErrBadData) {
			t.Errorf("%q of topic %q, want %q of %q", got, topic, tt.text, tt.topic)
		}
	}
}
