package input

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider/publish"
)

// Explain reports once for each path without a value the reason and a suggestion. Before the end it
// reports only paths that match nothing.
func Explain(
	ctx context.Context, a *console.App, src winperf.Source, t *Tally, paths []winperf.Path, end bool,
) {
	var c *catalogue.Catalogue
	more := 0
	for w, served := range t.Served {
		last := t.Last[w]
		if served || last == counter.OK || !end && !last.NamesNothing() {
			continue
		}

		a.Partial = a.Partial || end
		if t.explained[w] || last == counter.NotPermitted { // reported together
			continue
		}

		t.explained[w] = true
		if t.explanations++; t.explanations > catalogue.MaxExplanations {
			more++
			continue
		}

		if c == nil {
			c = catalogue.ReadCatalogue(ctx, src, false, paths...)
			defer c.Close()
		}
		a.Complain(fmt.Errorf("%s: %s", paths[w], c.Reason(paths[w], last)))
		if last == counter.NoObject {
			ReportElsewhere(a, src)
		}
	}

	if more > 0 {
		a.Complain(fmt.Errorf("%d more paths gave no value", more))
	}
}

// ExplainFirst explains the paths that match nothing in a first sample, when rates have no value yet. If
// no path names an existing counter, it reports that the program waits.
func ExplainFirst(
	ctx context.Context, a *console.App, src winperf.Source, t *Tally, paths []winperf.Path, more bool,
) {
	Explain(ctx, a, src, t, paths, false)
	if more && t.Hopeless() {
		a.Complain(errors.New("no path matches yet; waiting for a match"))
	}
}

// ReportElsewhere warns, once per program, that other accounts publish in directories that are not read. Call
// it if an object is missing.
func ReportElsewhere(a *console.App, src winperf.Source) {
	if a.Elsewhere || src.Describe().Recorded {
		return
	}
	dirs := publish.Elsewhere()
	if len(dirs) == 0 {
		return
	}

	a.Elsewhere = true
	how := "this account cannot read them"
	may := func(dir string) bool {
		_, err := os.ReadDir(dir)
		return err == nil
	}
	if i := slices.IndexFunc(dirs, may); i >= 0 {
		dirs[0], dirs[i] = dirs[i], dirs[0]
		how = fmt.Sprintf("%s=%s reads this one", publish.Environment, dirs[0])
	}

	first := dirs[0]
	if len(dirs) > 1 {
		first = fmt.Sprintf("%s (and %d more)", first, len(dirs)-1)
	}
	const form = "directories where other accounts publish are not read: %s; %s"
	a.Complain(fmt.Errorf(form, first, how))
}
