package input

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/source"
)

// CompleteSource completes the URL of a source.
func CompleteSource(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var urls []cobra.Completion
	for _, s := range source.Schemes() {
		urls = append(urls, cobra.CompletionWithDesc(s.Name+":", s.Brief))
	}
	return urls, cobra.ShellCompDirectiveNoSpace
}

// CompleteLanguage completes the name of a language.
func CompleteLanguage(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := []cobra.Completion{cobra.CompletionWithDesc(nametable.English, "English")}
	for code, name := range nametable.LanguageNames() {
		names = append(names, cobra.CompletionWithDesc(code, name))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CompleteType completes the name of a counter type.
func CompleteType(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for info := range counter.Types() {
		names = append(names, cobra.CompletionWithDesc(info.Name, info.Brief))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// CompleteObject completes the name of an object.
func CompleteObject(f *SourceFlags) cobra.CompletionFunc {
	return func(
		cmd *cobra.Command, args []string, text string,
	) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			look(cmd.Context(), f.Source, true, func(c *catalogue.Catalogue) {
				for _, o := range c.Objects {
					if catalogue.HasPrefixFold(o.Name, text) {
						names = append(names, catalogue.Describe(o.Name, o.Help))
					}
				}
			})
		}
		return Typeable(names), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteObjectOrPath completes the argument of list: an object or a path.
func CompleteObjectOrPath(f *SourceFlags) cobra.CompletionFunc {
	object, path := CompleteObject(f), CompletePath(f)
	return func(
		cmd *cobra.Command, args []string, text string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 && strings.HasPrefix(text, `\`) {
			return path(cmd, args, text)
		}
		return object(cmd, args, text)
	}
}

// CompletePath completes a counter path part by part. A shell may have removed the first backslash of an
// unquoted path.
func CompletePath(f *SourceFlags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if !strings.HasPrefix(text, `\`) {
			text = `\` + text
		}
		var paths []cobra.Completion
		inInstance := strings.Contains(text, "(") && !strings.Contains(text, `)\`)
		look(cmd.Context(), f.Source, !inInstance, func(c *catalogue.Catalogue) { paths = Typeable(c.Paths(text)) })
		directive := cobra.ShellCompDirectiveNoFileComp
		if len(paths) > 0 && strings.HasSuffix(paths[0], `\`) {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return paths, directive
	}
}

// Typeable omits completions with unprintable characters.
func Typeable(all []cobra.Completion) []cobra.Completion {
	return slices.DeleteFunc(all, func(c cobra.Completion) bool {
		text, _, _ := strings.Cut(c, "\t")
		return safetext.Line(text) != text
	})
}

// look calls f with the contents of a source, unless the source cannot be read.
func look(ctx context.Context, url string, metadata bool, f func(*catalogue.Catalogue)) {
	src, err := source.Open(ctx, url)
	if err != nil {
		return
	}
	defer src.Close()
	c := catalogue.ReadCatalogue(ctx, src, metadata)
	defer c.Close()
	f(c)
}
