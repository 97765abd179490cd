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

// This file checks the places, files and programs that an experiment names, so that errors are reported
// before it begins.

// ownFiles are names in a results folder that deliveries cannot use.
var ownFiles = []string{FilePlan, FileExperiment, FileRuns, FileSamples, FileRecords, FileReport, "spill"}

// checkLines checks a source of lines: a file or pipe must exist, and a socket needs a directory.
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
		return fmt.Errorf("%w (create a pipe for lines before the experiment begins)", named(err))
	case err != nil:
		return named(err)
	case info.IsDir():
		return fmt.Errorf("%s is a directory, expected a pipe or a file", e.Lines)
	}
	return nil
}

// checkSocket checks that a socket can be created. A socket without a listener is replaced.
func checkSocket(path string) error {
	if path == "" {
		return errors.New("expected unix:PATH")
	}
	if err := isDir(filepath.Dir(path)); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	return nil
}

func isDir(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a directory", path)
	}
	return named(err)
}

// named returns an error with the file's name but without the name of the call.
func named(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Errorf("%s: %w", file.Path, file.Err)
	}
	return err
}

// check checks a delivery without connecting; names are the names of previous deliveries.
func (d *DeliverEntry) check(names map[string]bool) error {
	if d.Partial {
		return nil
	}
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
		return d.Errorf("two deliveries have the name %q: expected different names", d.name())
	}
	names[d.name()] = true
	if place := "file " + filepath.Clean(d.File); d.File != "" && names[place] {
		return d.Errorf("another delivery already writes %s", d.File)
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
		return d.Errorf("%s is already in the results directory: expected another name", d.File)
	}
	if _, err := delivery.FileFormat(d.File, d.Format); err != nil {
		return d.Errorf("%w", err)
	}
	if filepath.IsLocal(d.File) {
		return nil // directories in the results folder are created
	}
	if !filepath.IsAbs(d.File) {
		return d.Errorf("%s is not in the results directory: expected an absolute path", d.File)
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

	// With an unset variable, requests would lack a header.
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
		return d.Errorf("headers: environment variable not set: %s", strings.Join(slices.Compact(missing), ", "))
	}
	return nil
}

// check checks a command; names are the names of previous commands.
func (c *CommandEntry) check(names map[string]bool) error {
	if c.Partial {
		return nil
	}
	if len(c.Run) == 0 || c.Run[0] == "" {
		return c.Errorf("expected a program")
	}
	name := c.name()
	if names[name] {
		return c.Errorf("two commands have the name %q", name)
	}
	names[name] = true
	for key := range c.Env {
		if key == "" || strings.ContainsAny(key, "=\x00") {
			return c.Errorf("command %q: %q is not a valid name of a variable", name, key)
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

// ProgramIn returns the path of a program that runs in directory dir ("" is the current one). A name
// without a directory is searched in PATH; a relative path is relative to dir.
func ProgramIn(dir, program string) string {
	if dir != "" && filepath.Base(program) != program && !filepath.IsAbs(program) {
		return filepath.Join(dir, program)
	}
	return program
}

// CanCreate returns an error if a directory cannot be created, or cannot be written if it exists. It
// creates nothing permanently.
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
		return fmt.Errorf("%s cannot be created: %w", path, err)
	}

	tried, err := os.MkdirTemp(there, ".winperf-*")
	var system *fs.PathError
	if errors.As(err, &system) {
		return fmt.Errorf("%s cannot be created: %s is not writable: %w", path, there, system.Err)
	}
	if err != nil {
		return err
	}
	return os.Remove(tried)
}

// CanKeep returns an error if a results folder cannot be created, see Create.
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
	return fmt.Errorf("%s is not empty: name a new or empty directory for the results", path)
}
