package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider/perflib"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
	"github.com/winperf/winperf/source"
)

// Install configures the check that registers providers.
type Install struct {
	// System carries out the steps; nil is a system without providers.
	System regfile.System
	// Wanted requests the check. Without it, only the rest of an interrupted check is removed.
	Wanted bool
	// Library is winperf-provider.dll.
	Library string

	directory string   // of the journal, the name tables and the files for lodctr
	sources   []string // that show the version 1 object
}

// The providers have fixed names: the journal, which names them to people, is not trusted.
const (
	driverName = "WinperfVerify"
	verifyText = `{
	"driver": "WinperfVerify", "library": "winperf-provider.dll",
	"objects": [{"name": "Winperf Verify", "help": "Written by winperf verify; can be removed.", "counters": [
		{"name": "Known Value", "help": "A number that winperf verify knows.", "type": "PERF_COUNTER_RAWCOUNT"}]}]}`
	setGUID   = "{6f0d7f5b-3f5c-4f0c-9c3b-7b0f2f1a9d10}"
	verifySet = `{
	"driver": "WinperfVerifySet", "provider": "` + setGUID + `", "binary": "winperf.exe",
	"objects": [{"name": "Winperf Verify Set", "help": "Written by winperf verify; can be removed.",
		"guid": "{6f0d7f5b-3f5c-4f0c-9c3b-7b0f2f1a9d11}", "counters": [
		{"name": "Known Value", "help": "A number that winperf verify knows.", "type": "PERF_COUNTER_RAWCOUNT"}]}]}`

	journalFile = "journal.txt"
	tablesFile  = "name-tables.ini" // of lodctr
	namesFile   = "names.json"
	knownValue  = 4242
)

// installation is a check in progress.
type installation struct {
	Install
	report *Report
}

func (r *Report) newInstallation(in Install) (*installation, error) {
	if in.System == nil {
		return nil, fmt.Errorf("providers are registered on Windows: %w", winperf.ErrNotSupported)
	}
	if in.directory == "" {
		in.directory = filepath.Join(os.Getenv("ProgramData"), "winperf-verify")
	}
	if in.sources == nil {
		in.sources = []string{"registry:", "pdh:"}
	}
	return &installation{in, r}, nil
}

// The lines of the journal: the parts that may be registered, and the command that removes it.
const (
	undoDriver = "unlodctr " + driverName + "\n"
	undoSet    = undoDriver + "unlodctr /G:" + setGUID + "\n"
)

// write writes the journal.
func (in *installation) write(journal string) error {
	return os.WriteFile(in.file(journalFile), []byte(journal), 0o600)
}

func (in *installation) file(name string) string { return filepath.Join(in.directory, name) }

// removeRest removes the registrations and files of an interrupted check.
func (in *installation) removeRest(ctx context.Context) {
	const name = "the rest of an interrupted --install"
	if _, err := os.Stat(in.file(journalFile)); errors.Is(err, fs.ErrNotExist) {
		return
	}
	if !elevated() {
		in.report.skip("removing "+name, errors.New("needs an elevated prompt"))
		return
	}
	// The directory belongs to the administrators, so its journal is from an elevated program.
	err := makeDirectory(in.directory)
	if err == nil {
		err = in.remove(ctx)
	}
	in.report.check(name, "removed", err)
	if err == nil {
		in.finish(ctx)
	}
}

// ready returns an error if the check is not possible.
func (in *installation) ready() error {
	if !elevated() {
		return errors.New("registering providers needs an elevated prompt")
	}
	if _, err := os.Stat(in.Library); err != nil {
		return fmt.Errorf("%w; it is in the zip file and the MSI package for amd64, --library names it", err)
	}
	return nil
}

// run registers providers, reads their counters and removes them.
func (in *installation) run(ctx context.Context) {
	const name = "registration of providers"
	if err := makeDirectory(in.directory); err != nil {
		in.report.check(name, "", err)
		return
	}
	// Nothing is registered before the name tables are saved.
	err := in.write(undoDriver)
	if err == nil {
		err = in.System.Run(ctx, []string{"lodctr", "/S:" + in.file(tablesFile)})
	}
	if err == nil {
		err = in.saveTables(ctx)
	}
	if err != nil {
		err = errors.Join(err, in.clean(namesFile, tablesFile, journalFile))
		in.report.skip(name, fmt.Errorf("the name tables could not be saved: %w", err))
		return
	}

	in.report.check("a version 1 provider", "registered and read back", in.tryVersion1(ctx))
	in.report.check("a version 2 provider", "registered and read back", in.tryVersion2(ctx))

	// An interrupt must not leave the providers behind.
	ctx = context.WithoutCancel(ctx)
	err = in.remove(ctx)
	in.report.check("removal of both providers", "", err)
	if err == nil {
		in.finish(ctx)
	}
}

// tryVersion1 registers winperf-provider.dll and reads a published counter.
func (in *installation) tryVersion1(ctx context.Context) error {
	d, err := registration.ParseDeclaration("verify", []byte(verifyText))
	if err != nil {
		return err
	}
	ini := in.file(driverName + ".ini")
	err = errors.Join(
		os.WriteFile(ini, regfile.WriteINI(d, driverName+".h"), 0o600),
		os.WriteFile(in.file(driverName+".h"), regfile.WriteHeader(d), 0o600))
	if err != nil {
		return err
	}
	steps := regfile.Install{INI: ini, Driver: driverName, Library: in.Library}.Steps()
	if err := steps.Run(ctx, in.System, nil); err != nil {
		return err
	}

	p, err := publish.New(d, publish.Options{})
	if err != nil {
		return err
	}
	c, err := p.Counter("Winperf Verify", "Known Value")
	if err == nil {
		c.Set(knownValue)
		for _, url := range in.sources {
			err = errors.Join(err, readKnown(ctx, url))
		}
		err = errors.Join(err, in.readTypeperf(ctx))
	}
	return errors.Join(err, p.Close())
}

// readKnown reads the known value from a source.
func readKnown(ctx context.Context, url string) error {
	src, err := source.Open(ctx, url)
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	defer src.Close()
	readings, err := measure.Get(ctx, src, `\Winperf Verify\Known Value`)
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if v, ok := readings[0].Value.Float64(); !ok || v != knownValue {
		return fmt.Errorf("%s: %v, expected %d", url, readings[0], knownValue)
	}
	return nil
}

// readTypeperf reads the known value with typeperf, if it is installed.
func (in *installation) readTypeperf(ctx context.Context) error {
	program := systemProgram("typeperf")
	if _, err := os.Stat(program); err != nil {
		in.report.skip("the registered counter in typeperf", errors.New("typeperf is not installed"))
		return nil
	}
	text, err := output(ctx, program, `\Winperf Verify\Known Value`, "-sc", "1")
	if err != nil || !strings.Contains(text, fmt.Sprint(knownValue)) {
		return fmt.Errorf("typeperf: %w: %s", errors.Join(err, winperf.ErrNoCounter), strings.TrimSpace(text))
	}
	return nil
}

// tryVersion2 registers a counter set and reads it by its GUID: its names would be in a resource of
// the program.
func (in *installation) tryVersion2(ctx context.Context) (err error) {
	d, err := registration.ParseDeclaration("verify", []byte(verifySet))
	if err != nil {
		return err
	}
	m, err := regfile.ManifestOf(d)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	file := in.file(driverName + ".man")
	if err := os.WriteFile(file, regfile.WriteManifest(m), 0o600); err != nil {
		return err
	}
	if err := in.write(undoSet); err != nil {
		return err
	}
	steps := regfile.Install{Manifest: file, Directory: filepath.Dir(program), Provider: d.GUID}.Steps()
	if err := steps.Run(ctx, in.System, nil); err != nil { // which undid it
		return errors.Join(err, in.write(undoDriver))
	}

	p, err := publish.New(d, publish.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	v, err := perflib.Start(d, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	c, err := p.Counter("Winperf Verify Set", "Known Value")
	if err != nil {
		return err
	}
	c.Set(knownValue)
	return readSet(ctx, d.Objects[0].GUID)
}

// readSet reads the known value of a counter set.
func readSet(ctx context.Context, set winperf.GUID) error {
	src, err := source.Open(ctx, "perflib:")
	if err != nil {
		return err
	}
	defer src.Close()

	m := measure.New(src, winperf.Selection{Objects: []winperf.ObjectID{{GUID: set}}}, measure.Options{})
	defer m.Close()
	cycle, err := m.Cycle(ctx)
	if err != nil {
		return err
	}

	o, found := cycle.Frame.Find(winperf.ObjectID{GUID: set})
	if !found || o.Len() != 1 || o.NumCounters() == 0 {
		err := fmt.Errorf("perflib: has no value of the counter set %s", set)
		return errors.Join(append(cycle.Damage, err)...)
	}
	if v, ok := o.Raw(0, 0); !ok || v != knownValue {
		return fmt.Errorf("perflib: %d, expected %d", v, knownValue)
	}
	return nil
}

// remove removes the providers that are registered.
func (in *installation) remove(ctx context.Context) error {
	steps := regfile.UninstallDriver(driverName)
	_, registered, err := in.System.Value(regfile.Services+`\`+driverName+`\Performance`, "First Counter")
	if err == nil && !registered {
		steps = steps[1:] // unlodctr would fail
	}
	err = errors.Join(err, steps.Run(ctx, in.System, nil))

	// After a kill, the version 2 provider may not have been registered yet. Nothing shows whether it was,
	// except the error of unlodctr. It is reported once.
	journal, errRead := os.ReadFile(in.file(journalFile))
	err = errors.Join(err, errRead)
	if err == nil && string(journal) == undoSet {
		g, _ := winperf.ParseGUID(setGUID) // a constant
		err = regfile.UninstallProvider(g).Run(ctx, in.System, nil)
		err = errors.Join(err, in.write(undoDriver))
	}
	if err != nil {
		return fmt.Errorf("%w; to undo it yourself, run in an elevated prompt: %s", err,
			strings.ReplaceAll(strings.TrimSpace(string(journal)), "\n", "; "))
	}
	return nil
}

// clean removes files of the directory, and the directory if it is empty then.
func (in *installation) clean(names ...string) error {
	var errs []error
	for _, name := range names {
		if err := os.Remove(in.file(name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	_ = os.Remove(in.directory) // unless it has other files
	return errors.Join(errs...)
}

// names are the texts of a name table by language. The help texts count as a further language.
type names map[string]map[uint32]string

// tables returns the name tables.
func (in *installation) tables(ctx context.Context) (names, error) {
	src, err := source.Open(ctx, in.sources[0])
	if err != nil {
		return nil, err
	}
	defer src.Close()
	schema, err := src.Schema(ctx)
	if err != nil {
		return nil, err
	}

	found, _ := nametable.FromSchema(schema)
	all := names{}
	for _, language := range found.Languages() {
		counters, help := found.Tables(language)
		all[language] = maps.Collect(counters.All())
		all[language+" (help)"] = maps.Collect(help.All())
	}
	return all, nil
}

// saveTables saves the name tables for a comparison, also after a kill.
func (in *installation) saveTables(ctx context.Context) error {
	before, err := in.tables(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(before)
	if err != nil {
		return err
	}
	return os.WriteFile(in.file(namesFile), text, 0o600)
}

// finish compares the name tables with those from before and removes the files, the journal last. If the
// tables differ, the file that restores them is kept.
func (in *installation) finish(ctx context.Context) {
	const name = "name tables after the removal"
	files := []string{driverName + ".ini", driverName + ".h", driverName + ".man"}
	text, err := os.ReadFile(in.file(namesFile))
	if errors.Is(err, fs.ErrNotExist) { // nothing was registered
		in.report.check(name, "nothing was registered", in.clean(append(files, tablesFile, journalFile)...))
		return
	}

	var before, after names
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err == nil {
		after, err = in.tables(ctx)
	}
	if err == nil {
		err = sameTables(before, after)
	}
	if err != nil {
		err = fmt.Errorf("%w; lodctr /R:%s in an elevated prompt restores them", err, in.file(tablesFile))
	} else {
		files = append(files, tablesFile)
	}
	err = errors.Join(err, in.clean(append(files, namesFile, journalFile)...))
	in.report.check(name, "the same as before", err)
}

// sameTables returns an error that lists the languages and indices that differ.
func sameTables(before, after names) error {
	var errs []error
	for _, language := range slices.Sorted(maps.Keys(before)) {
		if after[language] == nil {
			errs = append(errs, fmt.Errorf("the language %s is missing", language))
			continue
		}
		errs = append(errs, differingNames(language, "missing or changed", before[language], after[language]),
			differingNames(language, "new", after[language], before[language]))
	}
	return errors.Join(errs...)
}

// differingNames returns an error with the names of a table that the other one lacks.
func differingNames(language, how string, table, other map[uint32]string) error {
	var differ []uint32
	for index, text := range table {
		if o, found := other[index]; !found || o != text {
			differ = append(differ, index)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	first := slices.Min(differ)
	const form = "language %s: %d names are %s, the first is %d %q"
	return fmt.Errorf(form, language, len(differ), how, first, table[first])
}
