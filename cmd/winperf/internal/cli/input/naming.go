package input

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/measure"
)

// Naming is a naming rule for instances.
type Naming string

var nameRules = map[string]func() measure.NameRule{"pid": measure.ByPID, "name:pid": measure.ByNameAndPID}

func namings() []string { return []string{"pid", "name:pid"} }

// Add adds --name.
func (v *Naming) Add(cmd *cobra.Command) {
	cmd.Flags().Var(v, "name", "show processes and threads as pid or as name:pid")
	console.Complete(cmd, "name", cobra.FixedCompletions(namings(), cobra.ShellCompDirectiveNoFileComp))
}

// Apply sets the rule in opt.
func (v *Naming) Apply(opt *measure.Options) {
	if rule := nameRules[string(*v)]; rule != nil {
		opt.Names = []measure.NameRule{rule()}
	}
}

func (v *Naming) String() string { return string(*v) }

// Type names the value in help texts.
func (v *Naming) Type() string { return "RULE" }

// Set reads the value.
func (v *Naming) Set(s string) error {
	if nameRules[s] == nil {
		return errors.New("expected pid or name:pid")
	}
	*v = Naming(s)
	return nil
}
