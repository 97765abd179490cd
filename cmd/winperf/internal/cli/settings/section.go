package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/internal/strictyaml"
)

// section is the section of a command in a configuration file.
type section struct {
	cmd    *cobra.Command // checks the values, and is never run
	values []*value
	keys   reflect.Value // pointer to a structure for strictyaml, whose fields are a Pos and the values
}

// value is the value of a flag in a section.
type value struct {
	flag  *pflag.Flag
	texts []string // at most one
	paths []path   // of a flag that may be repeated; all such flags of these commands are paths
}

type path string

// withoutKey are flags that are not in sections. As for serve, experiments are only for the command line.
var withoutKey = []string{"config", "check", "experiments", "help"}

func newSection(cmd *cobra.Command) *section {
	s := &section{cmd: cmd}
	fields := []reflect.StructField{{Name: "Pos", Type: reflect.TypeFor[strictyaml.Pos]()}}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(withoutKey, f.Name) {
			return
		}
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprint("Value", len(s.values)), Type: reflect.TypeFor[strictyaml.Into](),
			Tag: reflect.StructTag(`yaml:"` + key(f) + `"`),
		})
		s.values = append(s.values, &value{flag: f})
	})

	s.keys = reflect.New(reflect.StructOf(fields))
	for i, v := range s.values {
		var to any = v
		if _, several := v.flag.Value.(pflag.SliceValue); several {
			to = &v.paths
		}
		s.keys.Elem().Field(i + 1).Set(reflect.ValueOf(strictyaml.Into{To: to}))
	}
	return s
}

// pathFlag is a hidden flag for the arguments of record.
const pathFlag = "path"

// key returns the key of a flag.
func key(f *pflag.Flag) string {
	if f.Name == pathFlag {
		return "paths"
	}
	return strings.ReplaceAll(f.Name, "-", "_")
}

// UnmarshalText sets the flag, whose value checks the text.
func (v *value) UnmarshalText(text []byte) error {
	v.texts = []string{string(text)}
	if err := v.flag.Value.Set(string(text)); err != nil {
		return console.ValueError(v.flag, err)
	}
	return nil
}

// UnmarshalText checks a path.
func (p *path) UnmarshalText(text []byte) error {
	*p = path(text)
	_, err := input.ParsePaths([]string{string(text)})
	return err
}

// apply sets the flags of another command of the same kind that are not set yet.
func (s *section) apply(cmd *cobra.Command, file string) error {
	if at := s.keys.Elem().FieldByName("Pos").Interface().(strictyaml.Pos); at.Line == 0 {
		return fmt.Errorf("%s has no section %s: with keys", file, cmd.Name())
	}

	flags := cmd.Flags()
	for _, v := range s.values {
		if flags.Changed(v.flag.Name) || v.flag.Name == pathFlag && flags.NArg() > 0 {
			continue
		}
		for _, p := range v.paths {
			v.texts = append(v.texts, string(p))
		}
		for _, text := range v.texts {
			if err := flags.Set(v.flag.Name, text); err != nil {
				return err
			}
		}
	}
	return nil
}
