package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winperf/winperf/experiment/delivery"
)

// What stands in this file looks for the places, files and programs that an experiment names: what it
// would fail at is told before it begins.

// ownFiles are the names in a results folder that deliveries cannot have.
var ownFiles = []string{FilePlan, FileExperiment, FileRuns, FileSamples, FileRecords, FileReport, "spill"}

// checkLines looks for what lines are read from: a file or a pipe must be there, and a socket have a
// directory to be made in.
func (e *EventEntry) checkLines() error {
	if e.Lines == "" || e.Lines == "stdin" {
		return nil
	}
	if socket, ok := strings.CutPrefix(e.Lines, "unix:"); ok {
		return checkSocket(socket)
	}
	if err := isDir(filepath.Dir(e.Lines)); err != nil {
		return err
	}
	info, err := os.Stat(e.Lines)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w (a pipe that lines come through must be made before the experiment begins)", named(err))
	case err != nil:
		return named(err)
	case info.IsDir():
		return fmt.Errorf("%s is a directory, expected a pipe or a file", e.Lines)
	}
	return nil
}

// checkSocket checks that a socket can be made. What is left of one that nobody listens at any more
// makes room for it.
func checkSocket(path string) error {
	if path == "" {
		return errors.New("expected unix:PATH")
	}
	if err := isDir(filepath.Dir(path)); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s is there already and is no socket", path)
	}
	return nil
}

// isDir is an error where there is no such directory.
func isDir(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no directory", path)
	}
	return named(err)
}

// named says what file an error is about, and not which call failed.
func named(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Errorf("%s: %w", file.Path, file.Err)
	}
	return err
}

// check checks a delivery as far as can be without a connection. names are those of the ones before it.
func (d *DeliverEntry) check(names map[string]bool) error {
	n := 0
	for _, has := range []bool{d.File != "", d.URL != "", len(d.Program) > 0} {
		if has {
			n++
		}
	}
	if n != 1 {
		return d.Errorf("expected one of file, url and program")
	}
	if names[d.name()] || d.name() == ResultsRoute {
		return d.Errorf("two deliveries are called %q: expected a name of its own", d.name())
	}
	names[d.name()] = true
	if place := "file " + filepath.Clean(d.File); d.File != "" && names[place] {
		return d.Errorf("another delivery writes %s already", d.File)
	} else if d.File != "" {
		names[place] = true
	}
	if d.URL == "" && len(d.Headers) > 0 {
		return d.Errorf("headers are for url")
	}

	switch {
	case d.File != "":
		return d.checkFile()
	case d.Format != "":
		return d.Errorf("format is for files")
	case d.URL != "":
		return d.checkURL()
	}
	if _, err := exec.LookPath(d.Program[0]); err != nil {
		return d.Errorf("%w", err)
	}
	return nil
}

func (d *DeliverEntry) checkFile() error {
	if slices.Contains(ownFiles, filepath.Clean(d.File)) {
		return d.Errorf("%s is in the results folder already: expected another name", d.File)
	}
	if _, err := delivery.FileFormat(d.File, d.Format); err != nil {
		return d.Errorf("%w", err)
	}
	if filepath.IsLocal(d.File) {
		return nil // directories in the results folder are made
	}
	if !filepath.IsAbs(d.File) {
		return d.Errorf("%s is not in the results folder: expected a path from the root", d.File)
	}

	if err := isDir(filepath.Dir(d.File)); err != nil {
		return d.Errorf("%w", err)
	}
	if err := delivery.CheckFile(d.File, delivery.FileOptions{Format: d.Format}); err != nil {
		return d.Errorf("%w", named(err))
	}
	return nil
}

func (d *DeliverEntry) checkURL() error {
	if _, err := delivery.NewHTTP(d.URL, delivery.HTTPOptions{}); err != nil {
		return d.Errorf("%w", err)
	}

	// A variable that is not set would send a request without what it was meant to have.
	var missing []string
	for _, text := range d.Headers {
		os.Expand(text, func(name string) string {
			if _, ok := os.LookupEnv(name); !ok {
				missing = append(missing, name)
			}
			return ""
		})
	}
	if slices.Sort(missing); len(missing) > 0 {
		return d.Errorf("headers: the environment has no %s", strings.Join(slices.Compact(missing), ", "))
	}
	return nil
}

// check checks a command. names are those of the commands before it.
func (c *CommandEntry) check(names map[string]bool) error {
	if len(c.Run) == 0 || c.Run[0] == "" {
		return c.Errorf("expected a program")
	}
	name := c.name()
	if names[name] {
		return c.Errorf("two commands are called %q", name)
	}
	names[name] = true
	for key := range c.Env {
		if key == "" || strings.ContainsAny(key, "=\x00") {
			return c.Errorf("command %q: %q is no name of a variable", name, key)
		}
	}

	if c.Dir != "" {
		if err := isDir(c.Dir); err != nil {
			return c.Errorf("command %q: %w", name, err)
		}
	}
	if _, err := exec.LookPath(ProgramIn(c.Dir, c.Run[0])); err != nil {
		return c.Errorf("command %q: %w", name, err)
	}
	return nil
}

// ProgramIn is where a program is that runs in a directory, "" for the current one: a name without a
// directory is looked for in PATH, and one with a relative one where the command runs.
func ProgramIn(dir, program string) string {
	if dir != "" && filepath.Base(program) != program && !filepath.IsAbs(program) {
		return filepath.Join(dir, program)
	}
	return program
}

// CanCreate is an error where a directory cannot be made, or be written to where it is there. It leaves
// nothing behind.
func CanCreate(path string) error {
	there, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for {
		if _, err := os.Lstat(there); err == nil || filepath.Dir(there) == there {
			break
		}
		there = filepath.Dir(there)
	}
	if err := isDir(there); err != nil {
		return fmt.Errorf("%s cannot be made: %w", path, err)
	}

	tried, err := os.MkdirTemp(there, ".winperf-*")
	var system *fs.PathError
	if errors.As(err, &system) {
		return fmt.Errorf("%s cannot be made: nothing can be written in %s: %w", path, there, system.Err)
	}
	if err != nil {
		return err
	}
	return os.Remove(tried)
}

// CanKeep is an error where a results folder cannot be made: see Create.
func CanKeep(path string) error {
	there, err := os.ReadDir(path)
	if len(there) > 0 {
		return notEmpty(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return CanCreate(path)
}

func notEmpty(path string) error {
	return fmt.Errorf("%s is not empty: the results of an experiment need a folder of their own", path)
}
