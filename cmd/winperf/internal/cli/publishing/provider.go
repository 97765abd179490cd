package publishing

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/provider/registration"
)

const symbolsSuffix = "_symbols.h"

// ProviderCommand returns the command provider.
func ProviderCommand(a *console.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "provider",
		Short: "Create, check and install the files that register counters on Windows",
		Long: `Provider creates, checks and installs the files that register an application's counters
with Windows: the .ini and .h files that lodctr reads for a version 1 provider (a DLL), and
the manifest (.man) of a version 2 provider.`,
		Example: `  winperf provider init myapp.json
  winperf provider check myapp.ini myapp.man
  winperf provider install myapp.ini --library 'C:\myapp\winperf-provider.dll'
  winperf provider status MyApplication
  winperf provider uninstall MyApplication`,
		Args: console.OnlySubcommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		DisableFlagsInUseLine: true,
	}

	cmd.AddCommand(providerInitCommand(a), providerCheckCommand(a),
		providerInstallCommand(a), providerUninstallCommand(a), providerStatusCommand(a))
	return cmd
}

func providerInitCommand(a *console.App) *cobra.Command {
	var dir string
	var overwrite, example bool
	cmd := &cobra.Command{
		Use:   "init SCHEMA",
		Short: "Write .ini, .h and .man files from a schema",
		Long: `Init writes NAME.ini and NAME.h, which lodctr reads for a version 1 provider. If the
schema has GUIDs and a binary, it also writes NAME.man, the manifest for version 2, and
NAME_symbols.h with its constants. NAME is the name of SCHEMA without its extension.

SCHEMA is JSON; --example prints one. SCHEMA can also be a manifest, or an .ini file with
its header in the same directory: Init then prints a schema with their contents. An .ini
file and its .h contain neither counter types nor whether an object has instances; add
these.

If one of the files exists, nothing is written without --overwrite.`,
		Example: `  winperf provider init --example > myapp.json
  winperf provider init myapp.json
  winperf provider init old.man > old.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if example {
				return console.NoArgs(cmd, args)
			}
			return console.ExactlyOne("SCHEMA")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if example {
				_, err := io.WriteString(a.Stdout, exampleSchema)
				return err
			}
			return providerInit(cmd.Context(), a, args[0], dir, overwrite)
		},
	}

	cmd.Flags().StringVar(&dir, "dir", "", "write into `DIRECTORY` instead of the current one")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace existing files")
	cmd.Flags().BoolVar(&overwrite, "force", false, "replace existing files")
	_ = cmd.Flags().MarkHidden("force") // old name
	cmd.Flags().BoolVar(&example, "example", false, "print an example schema")
	return cmd
}

func providerInit(ctx context.Context, a *console.App, file, dir string, overwrite bool) error {
	if strings.EqualFold(filepath.Ext(file), ".ini") || strings.EqualFold(filepath.Ext(file), ".man") {
		return printSchema(ctx, a, file)
	}
	data, err := input.ReadRegistrationFile(ctx, file)
	if err != nil {
		return err
	}

	s, err := registration.ParseDeclaration(file, data)
	if err != nil {
		return err
	}

	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	files := []registrationFile{
		{path: name + ".ini", data: regfile.WriteINI(s, name+".h")},
		{path: name + ".h", data: regfile.WriteHeader(s)},
	}
	if !s.GUID.IsZero() || s.Binary != "" {
		m, err := regfile.ManifestOf(s)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		files = append(files, registrationFile{path: name + ".man", data: regfile.WriteManifest(m)},
			registrationFile{path: name + symbolsSuffix, data: regfile.WriteSymbols(m)})
	}

	for i := range files {
		files[i].path = filepath.Join(dir, files[i].path)
	}
	if err := writeRegistration(ctx, files, overwrite); err != nil {
		return err
	}

	for _, f := range files {
		if _, err := fmt.Fprintln(a.Stdout, safetext.Line(filepath.ToSlash(f.path))); err != nil {
			return err
		}
	}
	return nil
}

type registrationFile struct {
	path string
	data []byte
	file *output.File // while it is written
}

// writeRegistration writes the files, or none if one of them exists.
func writeRegistration(ctx context.Context, files []registrationFile, overwrite bool) (err error) {
	var there []error
	for _, f := range files {
		if _, err := f.target(overwrite).Look(); err != nil {
			there = append(there, err)
		}
	}

	if len(there) > 0 {
		return errors.Join(there...)
	}

	// All files are locked before any is written, and the first one is unlocked last, so that another
	// program finds it locked.
	for i := range files {
		f := &files[i]
		if f.file, err = f.target(overwrite).Open(ctx); err != nil {
			return err
		}
		defer func() {
			if err == nil {
				err = f.file.Close()
			} else {
				err = errors.Join(err, f.file.Abandon())
			}
		}()
	}

	for _, f := range files {
		if _, err := f.file.Write(f.data); err != nil {
			return err
		}
	}
	return nil
}

func (f *registrationFile) target(overwrite bool) output.Target {
	t := output.Target{Name: f.path}
	if overwrite {
		t.Mode = output.Overwrite
	}
	return t
}

func printSchema(ctx context.Context, a *console.App, file string) error {
	read, err := readRegistration(ctx, file)
	if err != nil {
		return err
	}
	if err := reportFindings(a, read.findings); err != nil {
		return err
	}

	for _, s := range read.schemas {
		text, err := registration.FormatDeclaration(s)
		if err != nil {
			return err
		}
		if _, err := safetext.NewJSON(a.Stdout).Write(text); err != nil {
			return err
		}
	}
	return nil
}

func providerCheckCommand(a *console.App) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Report errors in .ini, .h, .man and schema files",
		Long: `Check reads .ini files, also the header named in each, .h files, manifests (.man) and
schemas (.json). It reports all errors with line and column. A warning is about something
that Windows accepts but that is probably not intended.

Exit status: 0 no errors, 1 no file could be read, 3 errors were found.`,
		Example: `  winperf provider check myapp.ini
  winperf provider check *.man`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no file given; for example winperf provider check myapp.ini")
			}
			var failed []error
			for _, file := range args {
				read, err := readRegistration(cmd.Context(), file)
				if err != nil {
					failed = append(failed, err)
					continue
				}
				if err := listFindings(a, file, read); err != nil {
					return err
				}
			}

			if len(failed) < len(args) && len(failed) > 0 {
				a.Complain(errors.Join(failed...))
				a.Partial = true
				return nil
			}
			return errors.Join(failed...)
		},
	}
}

func listFindings(a *console.App, file string, read *registrationRead) error {
	found := read.findings
	for _, text := range read.declared {
		a.Partial = true
		if _, err := fmt.Fprintln(a.Stdout, safetext.Line(text)); err != nil {
			return err
		}
	}
	for _, f := range found {
		if _, err := fmt.Fprintln(a.Stdout, safetext.Line(f.Error())); err != nil {
			return err
		}
		a.Partial = a.Partial || !f.Warning
	}
	if len(found)+len(read.declared) == 0 {
		_, err := fmt.Fprintf(a.Stdout, "%s: ok\n", safetext.Line(file))
		return err
	}
	return nil
}

func reportFindings(a *console.App, found regfile.Findings) error {
	for _, f := range found {
		if f.Warning {
			fmt.Fprintln(a.Stderr, safetext.Line(f.Error()))
		}
	}
	return found.Err()
}

type registrationRead struct {
	driver    string         // of an .ini file
	providers []winperf.GUID // of a manifest
	schemas   []*registration.Declaration
	findings  regfile.Findings
	declared  []string // errors of a schema
}

func readRegistration(ctx context.Context, file string) (*registrationRead, error) {
	data, err := input.ReadRegistrationFile(ctx, file)
	if err != nil {
		return nil, err
	}

	read := &registrationRead{}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".ini":
		return read, read.ini(ctx, file, data)
	case ".h":
		// lodctr does not read a manifest's symbols, and C compilers check them.
		if !strings.HasSuffix(file, symbolsSuffix) {
			_, read.findings = regfile.ParseHeader(file, data)
		}

	case ".man", ".xml":
		m, found := regfile.ParseManifest(file, data)
		read.findings = found
		for i := range m.Providers {
			read.providers = append(read.providers, m.Providers[i].GUID)
			read.schemas = append(read.schemas, regfile.FromManifest(&m.Providers[i]))
		}

	case ".json":
		if _, err := registration.ParseDeclaration(file, data); err != nil {
			read.declared = console.ErrorLines(err)
		}
	default:
		return nil, fmt.Errorf("%s: expected a file .ini, .h, .man or .json", file)
	}
	return read, nil
}

func (r *registrationRead) ini(ctx context.Context, file string, data []byte) error {
	ini, found := regfile.ParseINI(file, data)
	r.driver, r.findings = ini.DriverName(), found
	name, at := ini.SymbolFile()
	if name == "" || strings.ContainsAny(name, `\/:`) {
		r.findings = append(r.findings, regfile.CheckINI(ini, nil)...)
		return nil
	}

	path := filepath.Join(filepath.Dir(file), name)
	text, err := input.ReadRegistrationFile(ctx, path)
	if err != nil {
		unread := fmt.Sprintf("symbolfile %s cannot be read: %v", name, errors.Unwrap(err))
		r.findings = append(r.findings, rules.NewFinding(file, at, unread))
		r.findings = append(r.findings, regfile.CheckINI(ini, nil)...)
		return nil
	}

	header, more := regfile.ParseHeader(path, text)
	r.findings = append(append(r.findings, more...), regfile.CheckINI(ini, header)...)
	if r.findings.Err() == nil {
		r.schemas = append(r.schemas, regfile.FromINI(ini, header))
	}
	return nil
}

// names returns the English names of an .ini file in the order of its header.
func (r *registrationRead) names() (names []string) {
	for _, s := range r.schemas {
		for i := range s.Objects {
			o := &s.Objects[i]
			names = append(names, o.Name)
			for k := range o.Counters {
				names = append(names, o.Counters[k].Name)
			}
		}
	}
	return names
}

// exampleSchema uses every field of a schema.
//
//go:embed example_schema.json
var exampleSchema string
