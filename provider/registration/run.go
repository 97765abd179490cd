package registration

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// System is what a plan is carried out on. Keys are below HKEY_LOCAL_MACHINE. A
// key or value that is not there is no error of a deletion.
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

// Run carries out the plan. done, if not nil, is told of each action before it is
// carried out. When one fails, what was done before is undone, the last first,
// and the error tells what could not be.
func (p Plan) Run(ctx context.Context, sys System, done func(Action)) error {
	var undo []func() error
	for _, s := range p {
		if done != nil {
			done(s.Action)
		}
		back, err := s.run(ctx, sys)
		undo = append(undo, back...)
		if err == nil {
			continue
		}

		errs := []error{fmt.Errorf("%s: %w", s.Action, err)}
		for _, f := range slices.Backward(undo) {
			if err := f(); err != nil {
				errs = append(errs, fmt.Errorf("could not be undone: %w", err))
			}
		}
		return errors.Join(errs...)
	}
	return nil
}

// run carries out a step and returns what undoes it.
func (s Step) run(ctx context.Context, sys System) (undo []func() error, err error) {
	a := s.Action
	switch a.Kind {
	case CreateKey:
		created, err := sys.CreateKey(a.Key)
		for _, key := range created {
			undo = append(undo, func() error { _, err := sys.DeleteKey(key); return err })
		}
		return undo, err

	case SetValue, DeleteValue:
		return a.change(sys)
	case DeleteKey:
		deleted, err := sys.DeleteKey(a.Key)
		if deleted {
			undo = append(undo, func() error { _, err := sys.CreateKey(a.Key); return err })
		}
		return undo, err

	case CheckValue:
		_, found, err := sys.Value(a.Key, a.Name)
		if err == nil && !found {
			err = errors.New("it is not there, although the command before reported success")
		}
		return nil, err

	case CheckNames:
		return nil, a.checkNames(sys)
	case MakePublished:
		return nil, sys.MakePublished() // it stays: others publish there, too
	}

	before := false
	if a.Name != "" {
		if _, before, err = sys.Value(a.Key, a.Name); err != nil {
			return nil, err
		}
	}

	if err := sys.Run(ctx, a.Command); err != nil {
		return nil, err
	}
	if len(s.Undo) > 0 && !before {
		undo = append(undo, func() error { return sys.Run(context.WithoutCancel(ctx), s.Undo) })
	}
	return undo, nil
}

// checkNames looks whether the names stand in the name table where the registration says.
func (a Action) checkNames(sys System) error {
	first, found, err := sys.Value(a.Key, a.Name)
	if err != nil {
		return err
	}
	if !found || first.Type != TypeDWord {
		return errors.New("it is no number")
	}

	table, found, err := sys.Value(englishTable, "Counter")
	if err != nil {
		return err
	}
	if !found {
		return errors.New("there is no table of English names")
	}

	// The table has its pairs in no order that one could rely on.
	names := map[string]string{}
	for i := 0; i+1 < len(table.Strings); i += 2 {
		names[table.Strings[i]] = table.Strings[i+1]
	}

	for i, want := range a.Value.Strings {
		title := fmt.Sprint(uint64(first.Number) + 2*uint64(i))
		if got := names[title]; want != "" && got != want {
			const form = "it is %d, but title index %s has the name %q, want %q: " +
				"it was left by an earlier registration, and lodctr did nothing (uninstall the " +
				"provider first)"
			return fmt.Errorf(form, first.Number, title, got, want)
		}
	}
	return nil
}

// change sets or deletes a value. What undoes it puts back what was there.
func (a Action) change(sys System) (undo []func() error, err error) {
	old, found, err := sys.Value(a.Key, a.Name)
	if err != nil {
		return nil, err
	}

	back := func() error { return sys.DeleteValue(a.Key, a.Name) }
	if found {
		back = func() error { return sys.SetValue(a.Key, a.Name, old) }
	}

	switch {
	case a.Kind == SetValue:
		err = sys.SetValue(a.Key, a.Name, a.Value)
	case found:
		err = sys.DeleteValue(a.Key, a.Name)
	default:
		return nil, nil
	}

	if err != nil {
		return nil, err
	}
	return []func() error{back}, nil
}
