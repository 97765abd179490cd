package blocks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/winperf/winperf/counter"
)

func listTypes(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NUMBER\tTYPE\tUNIT\tSAMPLES\tFORMULA")
	for info := range counter.Types() {
		row := "0x%08X\t%s\t%v\t%d\t%s\n"
		fmt.Fprintf(t, row, uint32(info.Type), info.Name, info.Unit, info.Samples, formulaText(&info))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, operandsHelp)
	return err
}

const operandsHelp = `
N value, D clock, B base, M number of components; 0 older and 1 newer sample; TB clock
ticks per second. "winperf cook TYPE" shows more about a type.
`

func formulaText(info *counter.Info) string { return cmp.Or(info.Formula(), "-") }

func describeTypes(w io.Writer, names []string) error {
	var errs []error
	shown := 0
	for _, name := range names {
		t, err := counter.ParseType(name)
		if err != nil {
			errs = append(errs, unknownType(name, err))
			continue
		}
		if shown++; shown > 1 {
			fmt.Fprintln(w)
		}
		describeType(w, t)
	}
	return errors.Join(errs...)
}

// unknownType returns the error for an argument that is neither a file nor a counter type.
func unknownType(name string, err error) error {
	if strings.ContainsAny(name, `./\`) {
		const form = "%s: no such file, and no counter type, such as PERF_COUNTER_RAWCOUNT or a 32-bit number"
		return fmt.Errorf(form, name)
	}
	return fmt.Errorf("no such file, and %w", err)
}

func describeType(w io.Writer, t counter.Type) {
	fmt.Fprintf(w, "%v  0x%08X  %d\n  bits:     %s\n", t, uint32(t), uint32(t), t.Describe())
	info, known := t.Info()
	if !known {
		return
	}
	fmt.Fprintf(w, "  value:    %s\n  formula:  %s\n", info.Brief, formulaText(&info))
	fmt.Fprintf(w, "  unit:     %v\n  samples:  %d\n", info.Unit, info.Samples)
	if info.Base != 0 {
		fmt.Fprintf(w, "  base:     %v\n", info.Base)
	}
	fmt.Fprintf(w, "  source:   %s\n", info.Source)
}
