package regfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// System carries out the steps. Keys are below HKEY_LOCAL_MACHINE. Deleting a missing
// key or value is not an error.
type System interface {
	// CreateKey creates a key and its parents. It returns the keys created, the highest
	// first.
	CreateKey(key string) (created []string, err error)
	// DeleteKey deletes a key without values and subkeys, and reports whether it did.
	DeleteKey(key string) (deleted bool, err error)
	// Value reads a value.
	Value(key, name string) (v Value, found bool, err error)
	SetValue(key, name string, v Value) error
	DeleteValue(key, name string) error
	// MakePublished makes the directory of published counters, or checks an existing one.
	MakePublished() error
	// Run runs a command and waits for it. The error contains its output.
	Run(ctx context.Context, command []string) error
}

// Run carries out the steps. It calls begin, if not nil, before each step. If a step fails, Run
// undoes the earlier ones, the last first; the error joins the errors of the step and of
// failed undos.
func (p Steps) Run(ctx context.Context, sys System, begin func(Step)) error {
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

// CreateKey creates a key and its parents.
func CreateKey(key string) Step {
	return Step{`create key HKLM\` + key, func(_ context.Context, sys System) (back undo, err error) {
		created, err := sys.CreateKey(key)
		for _, key := range created {
			back = append(back, func() error { _, err := sys.DeleteKey(key); return err })
		}
		return back, err
	}}
}

// DeleteKey deletes a key if it has neither values nor subkeys.
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

// DeleteValue deletes a value of a key, if it exists.
func DeleteValue(key, name string) Step {
	return change(fmt.Sprintf(`delete HKLM\%s : %s`, key, name), key, name, nil)
}

// change sets or deletes a value. Its undo restores the previous value.
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

// CheckValue fails if the key has no value of this name. It changes nothing.
func CheckValue(key, name string) Step {
	text := fmt.Sprintf(`check that HKLM\%s : %s exists`, key, name)
	return Step{text, func(_ context.Context, sys System) (undo, error) {
		_, found, err := sys.Value(key, name)
		if err == nil && !found {
			err = errors.New("it does not exist, although the previous command reported success")
		}
		return nil, err
	}}
}

// makePublished makes the directory for winperf-provider.dll, with its rights. It is not
// undone, because other programs may publish there.
func makePublished() Step {
	run := func(_ context.Context, sys System) (undo, error) { return nil, sys.MakePublished() }
	return Step{"make the directory of published counters", run}
}

// runCommand runs a command, whose exit status must be 0. opposite undoes it, unless the
// key had a First Counter before, because that would undo an earlier registration.
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

// commandLine returns a command as typed.
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

// checkNames checks that names are in the English name table from the First Counter of a
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

// compareNames looks for names in a table of title indices and names by turns, in any
// order.
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
