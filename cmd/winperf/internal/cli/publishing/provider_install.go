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
		Long: `Install registers the version 1 provider of an .ini file or the version 2 provider of a
manifest (.man). It checks the file first. For an .ini file it writes the service's
Performance and Linkage keys and calls lodctr; for a manifest lodctr does everything. If a
step fails, the previous steps are undone.

The winperf-provider.dll shows objects that SYSTEM, administrators and the reading account
publish. --publisher adds an account: its name or SID, but no group; * is all accounts. If
several accounts publish an object, its instances are in this order of the accounts. An
elevated program publishes as BUILTIN\Administrators.

Install requires an elevated prompt. --dry-run works on any system.`,
		Example: `  winperf provider install myapp.ini --library 'C:\myapp\winperf-provider.dll' --dry-run
  winperf provider install myapp.ini --library 'C:\winperf.dll' --publisher 'NT AUTHORITY\LocalService'
  winperf provider install myapp.man --dir 'C:\myapp'`,
		Args: console.ExactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := readInstall(cmd.Context(), a, &in, args[0]); err != nil {
				return err
			}
			return carryOut(a, cmd, in.Steps(), dryRun)
		},
	}

	cmd.Flags().StringVar(&in.Library, "library", "", "`DLL` of the version 1 provider, with its path")
	cmd.Flags().StringVar(&in.Open, "open", "", "`EXPORT` of the open function (default WinperfOpen)")
	cmd.Flags().StringVar(&in.Collect, "collect", "",
		"`EXPORT` of the collect function (default WinperfCollect)")
	cmd.Flags().StringVar(&in.Close, "close", "", "`EXPORT` of the close function (default WinperfClose)")
	cmd.Flags().StringArrayVar(&in.Export, "context", nil,
		"`TEXT` passed to the open function; may be repeated (default the driver's name)")
	cmd.Flags().StringArrayVar(&in.Publishers, "publisher", nil,
		"`ACCOUNT` whose published counters are shown, in addition; may be repeated")
	cmd.Flags().StringVar(&in.Directory, "dir", "", "`DIRECTORY` of the binary with the manifest's texts")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the changes without making them")
	return cmd
}

func readInstall(ctx context.Context, a *console.App, in *regfile.Install, file string) error {
	if ext := strings.ToLower(filepath.Ext(file)); ext != ".ini" && ext != ".man" && ext != ".xml" {
		return fmt.Errorf("%s: expected a file .ini or .man", file)
	}
	read, err := readRegistration(ctx, file)
	if err != nil {
		return err
	}
	if err := reportFindings(a, read.findings); err != nil {
		return err
	}

	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	return fillInstall(in, read, path)
}

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
		const form = "%s has %d providers: install each from its own manifest"
		return fmt.Errorf(form, path, len(read.providers))
	default:
		return fmt.Errorf("%s: expected a file .ini or .man", path)
	}
	return nil
}

func providerUninstallCommand(a *console.App) *cobra.Command {
	var dryRun bool

	cmd := &cobra.Command{
		Use:   "uninstall DRIVER|GUID|FILE",
		Short: "Remove a provider from this machine",
		Long: `Uninstall removes the version 1 provider of a driver, or the version 2 provider of a GUID.
An .ini or .man file names its driver or GUID. Uninstall deletes only the values for
performance counters from the service key, and keys that are then empty.`,
		Example: `  winperf provider uninstall MyApplication
  winperf provider uninstall myapp.man --dry-run`,
		Args: console.ExactlyOne("provider"),
		RunE: func(cmd *cobra.Command, args []string) error {
			steps, err := uninstallSteps(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return carryOut(a, cmd, steps, dryRun)
		},
	}

	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the changes without making them")
	return cmd
}

func uninstallSteps(ctx context.Context, what string) (regfile.Steps, error) {
	if g, err := winperf.ParseGUID(what); err == nil {
		return regfile.UninstallProvider(g), nil
	}
	switch strings.ToLower(filepath.Ext(what)) {
	case ".ini", ".man":
	default:
		if strings.ContainsAny(what, `\/`) {
			return nil, fmt.Errorf("%s: expected a driver name, a GUID or a file .ini or .man", what)
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
	return nil, fmt.Errorf("%s does not name its provider", what)
}

func carryOut(a *console.App, cmd *cobra.Command, p regfile.Steps, dryRun bool) error {
	if dryRun {
		var err error
		for _, step := range p {
			err = errors.Join(err, carryOutStep(a, step))
		}
		return err
	}

	sys, err := RegistrationSystem()
	if err != nil {
		return fmt.Errorf("%w; --dry-run shows the changes on Windows", err)
	}
	return p.Run(cmd.Context(), sys, func(step regfile.Step) { _ = carryOutStep(a, step) })
}

func carryOutStep(a *console.App, step regfile.Step) error {
	_, err := fmt.Fprintln(a.Stdout, safetext.Line(step.String()))
	return err
}
