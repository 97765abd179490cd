package publishing

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/safetext"
)

func providerInstallCommand(a *console.App) *cobra.Command {
	var in regfile.Install
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "install FILE",
		Short: "Register a provider on this machine",
		Long: `Install registers the version 1 provider of an .ini file or the version 2 provider
of a manifest (.man). The file is checked first. For an .ini file it writes the
service's Performance and Linkage keys and calls lodctr; for a manifest lodctr
does everything. If a step fails, the steps before it are undone.

The provider shows objects that SYSTEM, administrators and the account that reads
publish. --publisher names a further account, in the order in which their instances
appear. An account is a name or a SID, not a group; * is all accounts. Files of elevated
programs belong to BUILTIN\Administrators.

Install requires an elevated prompt. --dry-run shows what would be done, on any system.`,
		Example: `  winperf provider install myapp.ini --library 'C:\myapp\winperf-provider.dll' --dry-run
  winperf provider install myapp.ini --library 'C:\winperf.dll' --publisher 'NT AUTHORITY\LocalService'
  winperf provider install myapp.man --dir 'C:\myapp'`,
		Args: console.ExactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := readInstall(cmd.Context(), a, &in, args[0]); err != nil {
				return err
			}
			return carryOut(a, cmd, in.Plan(), dryRun)
		},
	}

	cmd.Flags().StringVar(&in.Library, "library", "", "`DLL` of the version 1 provider, with its path")
	cmd.Flags().StringVar(&in.Open, "open", "", "`EXPORT` that opens it (default WinperfOpen)")
	cmd.Flags().StringVar(&in.Collect, "collect", "", "`EXPORT` that collects (default WinperfCollect)")
	cmd.Flags().StringVar(&in.Close, "close", "", "`EXPORT` that closes it (default WinperfClose)")
	cmd.Flags().StringArrayVar(&in.Export, "context", nil,
		"`TEXT` that the open function is told; may be given several times (default the driver's name)")
	cmd.Flags().StringArrayVar(&in.Publishers, "publisher", nil,
		"`ACCOUNT` whose published counters count; may be given several times (default all)")
	cmd.Flags().StringVar(&in.Directory, "dir", "", "`DIRECTORY` of the binary with a manifest's texts")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done and do nothing")
	return cmd
}

// readInstall completes what the flags say by what a file says, and tells what is wrong
// with that.
func readInstall(ctx context.Context, a *console.App, in *regfile.Install, file string) error {
	read, err := readRegistration(ctx, file)
	if err != nil {
		return err
	}
	if err := tellFindings(a, read.findings); err != nil {
		return err
	}

	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	return fillInstall(in, read, path)
}

// fillInstall completes what the flags say by what the file says.
func fillInstall(in *regfile.Install, read *registrationRead, path string) error {
	switch {
	case read.driver != "":
		if in.Library == "" {
			return errors.New("--library is missing: a version 1 provider is a DLL")
		}
		in.INI, in.Driver, in.Names = path, read.driver, read.names()

	case len(in.Publishers) > 0:
		return errors.New("--publisher is for the version 1 provider of an .ini file")
	case len(read.providers) == 1:
		in.Manifest, in.Provider = path, read.providers[0]
	case len(read.providers) > 1:
		const form = "%s has %d providers: install them one by one, from a manifest each"
		return fmt.Errorf(form, path, len(read.providers))
	default:
		return fmt.Errorf("%s: want a file .ini or .man", path)
	}
	return nil
}

func providerUninstallCommand(a *console.App) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "uninstall DRIVER|GUID|FILE",
		Short: "Remove a provider from this machine",
		Long: `Uninstall removes the version 1 provider of a driver name, or the version 2
provider of a GUID; an .ini or .man file names which. In the service key only the
data of performance counters is deleted, and keys that are then empty.`,
		Example: `  winperf provider uninstall MyApplication
  winperf provider uninstall myapp.man --dry-run`,
		Args: console.ExactlyOne("provider"),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := uninstallPlan(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return carryOut(a, cmd, plan, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done and do nothing")
	return cmd
}

func uninstallPlan(ctx context.Context, what string) (regfile.Plan, error) {
	if g, err := winperf.ParseGUID(what); err == nil {
		return regfile.UninstallProvider(g), nil
	}
	switch strings.ToLower(filepath.Ext(what)) {
	case ".ini", ".man":
	default:
		if strings.ContainsAny(what, `\/`) {
			return nil, fmt.Errorf("%s: want a driver name, a GUID or a file .ini or .man", what)
		}
		return regfile.UninstallDriver(what), nil
	}

	read, err := readRegistration(ctx, what)
	switch {
	case err != nil:
		return nil, err
	case read.driver != "":
		return regfile.UninstallDriver(read.driver), nil
	case len(read.providers) == 1 && !read.providers[0].IsZero():
		return regfile.UninstallProvider(read.providers[0]), nil
	}
	return nil, fmt.Errorf("%s does not say which provider it is", what)
}

// carryOut carries out a plan, or shows it.
func carryOut(a *console.App, cmd *cobra.Command, p regfile.Plan, dryRun bool) error {
	if dryRun {
		var err error
		for _, step := range p {
			err = errors.Join(err, carryOutStep(a, step))
		}
		return err
	}

	sys, err := registrationSystem()
	if err != nil {
		return fmt.Errorf("%w; --dry-run shows what would be done there", err)
	}
	return p.Run(cmd.Context(), sys, func(step regfile.Step) { _ = carryOutStep(a, step) })
}

// carryOutStep shows a step of a plan.
func carryOutStep(a *console.App, step regfile.Step) error {
	_, err := fmt.Fprintln(a.Stdout, safetext.Line(step.String()))
	return err
}
