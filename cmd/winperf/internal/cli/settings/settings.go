package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/server"
)

// Commands make the commands that have sections.
type Commands struct{ Record, Publish func() *cobra.Command }

// maxFile bounds the size of a configuration; the parser reports longer ones.
const maxFile = 2 << 20

// Read reads and checks a whole file, and returns the settings of serve.
func (c Commands) Read(name string) (server.Config, error) {
	config, _, err := c.read(name)
	return config, err
}

func (c Commands) read(name string) (config server.Config, sections []*section, err error) {
	text, err := readFile(name)
	if err != nil {
		return config, nil, err
	}

	record, publish := newSection(c.Record()), newSection(c.Publish())
	others := server.Sections{Record: record.keys.Interface(), Publish: publish.keys.Interface()}
	config, err = server.ParseConfig(name, text, others)
	return config, []*section{record, publish}, err
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if of, ok := errors.AsType[*fs.PathError](err); ok { // users do not need the name of the call
		return nil, fmt.Errorf("%s: %w", name, of.Err)
	}
	return text, err
}

// Flags are the flags --config and --check of a command that has a section.
type Flags struct {
	Check    bool
	file     string
	commands Commands
}

// Add adds the flags to a command.
func (f *Flags) Add(cmd *cobra.Command, commands Commands) {
	f.commands = commands
	const config = "`FILE` in YAML, whose section %s: has these flags as keys; flags given here override it"
	cmd.Flags().StringVar(&f.file, "config", "", fmt.Sprintf(config, cmd.Name()))
	const check = "check the command line and the whole configuration, report errors, and end"
	cmd.Flags().BoolVar(&f.Check, "check", false, check)
}

// Apply sets the flags of cmd that its command line does not set to the values in the file.
func (f *Flags) Apply(cmd *cobra.Command) error {
	if f.file == "" {
		return nil
	}
	_, sections, err := f.commands.read(f.file)
	if err != nil {
		return err
	}

	for _, s := range sections {
		if s.cmd.Name() == cmd.Name() {
			return s.apply(cmd, f.file)
		}
	}
	return nil
}
