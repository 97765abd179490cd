package regfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// System is what a plan is carried out on. Keys are below HKEY_LOCAL_MACHINE. To delete
// a key or value that is not there is not an error.
type System interface {
	// CreateKey creates a key and those above it. It returns those that were
	// not there, the highest first.
	CreateKey(key string) (created []string, err error)
	// DeleteKey deletes a key that holds neither values nor keys, and reports
	// whether it did.
	DeleteKey(key string) (deleted bool, err error)
	// Value reads a value.
	Value(key, name string) (v Value, found bool, err error)
	SetValue(key, name string, v Value) error
	DeleteValue(key, name string) error
	// MakePublished makes the directory of published counters, or checks the one
	// that is there.
	MakePublished() error
	// Run runs a command and waits for it. The error tells what it said.
	Run(ctx context.Context, command []string) error
}

// Run carries out the plan. It calls begin, if that is not nil, with each step before the
// step is carried out. When a step fails, Run undoes the earlier ones, the last first; the
// error then joins that of the step and those of what could not be undone.
func (p Plan) Run(ctx context.Context, sys System, begin func(Step)) error {
	var all undo
	for _, s := range p {
		if begin != nil {
			begin(s)
		}

		back, err := s.run(ctx, sys)
		all = append(all, back...)
		if err == nil {
			continue
		}

		errs := []error{fmt.Errorf("%s: %w", s, err)}
		for _, f := range slices.Backward(all) {
			if err := f(); err != nil {
				errs = append(errs, fmt.Errorf("could not be undone: %w", err))
			}
		}
		return errors.Join(errs...)
	}
	return nil
}

// CreateKey creates a key with all above it.
func CreateKey(key string) Step {
	return Step{`create key HKLM\` + key, func(_ context.Context, sys System) (back undo, err error) {
		created, err := sys.CreateKey(key)
		for _, key := range created {
			back = append(back, func() error { _, err := sys.DeleteKey(key); return err })
		}
		return back, err
	}}
}

// DeleteKey deletes a key, if it is there and holds neither values nor keys.
func DeleteKey(key string) Step {
	text := fmt.Sprintf(`delete key HKLM\%s if it is empty`, key)
	return Step{text, func(_ context.Context, sys System) (back undo, err error) {
		deleted, err := sys.DeleteKey(key)
		if deleted {
			back = append(back, func() error { _, err := sys.CreateKey(key); return err })
		}
		return back, err
	}}
}

// SetValue sets a value of a key.
func SetValue(key, name string, v Value) Step {
	return change(fmt.Sprintf(`set HKLM\%s : %s = %s`, key, name, v), key, name, &v)
}

// DeleteValue deletes a value of a key, which need not be there.
func DeleteValue(key, name string) Step {
	return change(fmt.Sprintf(`delete HKLM\%s : %s`, key, name), key, name, nil)
}

// change sets a value, or deletes it. What undoes it puts back what was there.
func change(text, key, name string, to *Value) Step {
	return Step{text, func(_ context.Context, sys System) (back undo, err error) {
		old, found, err := sys.Value(key, name)
		if err != nil || !found && to == nil {
			return nil, err
		}

		before := func() error { return sys.DeleteValue(key, name) }
		if found {
			before = func() error { return sys.SetValue(key, name, old) }
		}
		if to != nil {
			err = sys.SetValue(key, name, *to)
		} else {
			err = sys.DeleteValue(key, name)
		}
		if err != nil {
			return nil, err
		}
		return undo{before}, nil
	}}
}

// CheckValue is a step that changes nothing. It fails where the key has no value of the name.
func CheckValue(key, name string) Step {
	text := fmt.Sprintf(`check that HKLM\%s : %s is there`, key, name)
	return Step{text, func(_ context.Context, sys System) (undo, error) {
		_, found, err := sys.Value(key, name)
		if err == nil && !found {
			err = errors.New("it is not there, although the command before reported success")
		}
		return nil, err
	}}
}

// makePublished makes the directory that winperf-provider.dll reads, with its rights. It
// stays: others publish there, too.
func makePublished() Step {
	run := func(_ context.Context, sys System) (undo, error) { return nil, sys.MakePublished() }
	return Step{"make the directory of published counters", run}
}

// runCommand runs a command, whose exit status must be 0. The opposite takes it back, unless
// lodctr had a First Counter in a key before: then it would undo an earlier registration.
func runCommand(command, opposite []string, key string) Step {
	text := "run " + commandLine(command)
	return Step{text, func(ctx context.Context, sys System) (back undo, err error) {
		before := false
		if key != "" {
			if _, before, err = sys.Value(key, firstCounter); err != nil {
				return nil, err
			}
		}
		if err := sys.Run(ctx, command); err != nil {
			return nil, err
		}
		if len(opposite) > 0 && !before {
			back = append(back, func() error { return sys.Run(context.WithoutCancel(ctx), opposite) })
		}
		return back, nil
	}}
}

// commandLine is a command as one would type it.
func commandLine(words []string) string {
	var line []string
	for _, w := range words {
		if strings.ContainsAny(w, " \t") {
			w = `"` + w + `"`
		}
		line = append(line, w)
	}
	return strings.Join(line, " ")
}

// checkNames looks whether names stand in the English name table from the First Counter of a
// key on.
func checkNames(key string, want []string) Step {
	text := fmt.Sprintf(`check that HKLM\%s : %s is the title index of %q`, key, firstCounter, want[0])
	return Step{text, func(_ context.Context, sys System) (undo, error) {
		first, found, err := sys.Value(key, firstCounter)
		if err != nil {
			return nil, err
		}
		if !found || first.Type != TypeDWord {
			return nil, errors.New("it is not a number")
		}

		table, found, err := sys.Value(englishTable, "Counter")
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, errors.New("there is no table of English names")
		}
		return nil, compareNames(first.Number, table.Strings, want)
	}}
}

// compareNames looks for names in a table of title indices and names by turns, whose pairs are
// in no order that one could rely on.
func compareNames(first uint32, table, wanted []string) error {
	names := map[string]string{}
	for i := 0; i+1 < len(table); i += 2 {
		names[table[i]] = table[i+1]
	}

	for i, want := range wanted {
		title := fmt.Sprint(uint64(first) + 2*uint64(i))
		if got := names[title]; want != "" && got != want {
			const form = "it is %d, but title index %s has the name %q, want %q: " +
				"it was left by an earlier registration, and lodctr did nothing (uninstall the " +
				"provider first)"
			return fmt.Errorf(form, first, title, got, want)
		}
	}
	return nil
}
