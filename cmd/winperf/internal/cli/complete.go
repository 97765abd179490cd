package cli

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/source"
)

// The scripts that take the place of cobra's, which spoil backslashes.
var (
	//go:embed completion.bash
	bashScript string
	//go:embed completion.zsh
	zshScript string
	//go:embed completion.fish
	fishScript string
)

// shells are those that there are completion scripts for, and how to load one.
var shells = []struct {
	name, load string
	write      func(root *cobra.Command, w io.Writer) error
}{
	{"bash", "source <(winperf completion bash)", writeScript(&bashScript)},
	{"zsh", "source <(winperf completion zsh)", writeScript(&zshScript)},
	{"fish", "winperf completion fish | source", writeScript(&fishScript)},
	{"powershell", "winperf completion powershell | Out-String | Invoke-Expression",
		(*cobra.Command).GenPowerShellCompletionWithDesc},
}

func writeScript(script *string) func(*cobra.Command, io.Writer) error {
	return func(_ *cobra.Command, w io.Writer) error {
		_, err := io.WriteString(w, *script)
		return err
	}
}

func (a *app) completionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Write a script that completes commands and counter paths in a shell",
		Long: `Completion writes a script for a shell, which then completes commands, flags,
and the names of objects, instances and counters. The examples load it into a
running shell; put the same line where the shell reads its settings.`,
	}

	for _, s := range shells {
		cmd.ValidArgs = append(cmd.ValidArgs, s.name)
		cmd.Example += "  " + s.load + "\n"
	}

	cmd.Example = strings.TrimSuffix(cmd.Example, "\n")
	cmd.ValidArgsFunction = cobra.FixedCompletions(cmd.ValidArgs, cobra.ShellCompDirectiveNoFileComp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, s := range shells {
			if len(args) == 1 && args[0] == s.name {
				return s.write(cmd.Root(), a.stdout)
			}
		}
		return fmt.Errorf("expected one of %s", strings.Join(cmd.ValidArgs, ", "))
	}
	return cmd
}

// complete sets what completes the argument of a flag.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // fails for a flag that the command does not have
}

func completeSource(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var urls []cobra.Completion
	for _, s := range source.Schemes() {
		urls = append(urls, cobra.CompletionWithDesc(s.Name+":", s.Brief))
	}
	return urls, cobra.ShellCompDirectiveNoSpace
}

func completeLanguage(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := []cobra.Completion{cobra.CompletionWithDesc(nametable.English, "English")}
	for code, name := range nametable.LanguageNames() {
		names = append(names, cobra.CompletionWithDesc(code, name))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeType(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for info := range counter.Types() {
		names = append(names, cobra.CompletionWithDesc(info.Name, info.Brief))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeObject completes the name of an object.
func completeObject(f *sourceFlags) cobra.CompletionFunc {
	return func(
		cmd *cobra.Command, args []string, text string,
	) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			look(cmd.Context(), f.source, true, func(c *catalogue) {
				for _, o := range c.objects {
					if hasPrefixFold(o.name, text) {
						names = append(names, describe(o.name, o.help))
					}
				}
			})
		}
		return typeable(names), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeWanted completes what list takes: the name of an object, or a path.
func completeWanted(f *sourceFlags) cobra.CompletionFunc {
	object, path := completeObject(f), completePath(f)
	return func(
		cmd *cobra.Command, args []string, text string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 && strings.HasPrefix(text, `\`) {
			return path(cmd, args, text)
		}
		return object(cmd, args, text)
	}
}

// completePath completes a counter path part by part. A shell may have taken the first backslash
// from a path without quotes.
func completePath(f *sourceFlags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if !strings.HasPrefix(text, `\`) {
			text = `\` + text
		}
		var paths []cobra.Completion
		inInstance := strings.Contains(text, "(") && !strings.Contains(text, `)\`)
		look(cmd.Context(), f.source, !inInstance, func(c *catalogue) { paths = typeable(c.paths(text)) })
		directive := cobra.ShellCompDirectiveNoFileComp
		if len(paths) > 0 && strings.HasSuffix(paths[0], `\`) {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return paths, directive
	}
}

// typeable leaves out what must not be shown, and so can hardly be typed.
func typeable(all []cobra.Completion) []cobra.Completion {
	return slices.DeleteFunc(all, func(c cobra.Completion) bool {
		text, _, _ := strings.Cut(c, "\t")
		return safetext.Line(text) != text
	})
}

// look calls f with what a source has; where it cannot be asked it does not.
func look(ctx context.Context, url string, metadata bool, f func(*catalogue)) {
	src, err := source.Open(ctx, url)
	if err != nil {
		return
	}
	defer src.Close()
	c := readCatalogue(ctx, src, metadata)
	defer c.close()
	f(c)
}

// paths returns what text may become. What can go on in one way only goes on.
func (c *catalogue) paths(text string) []cobra.Completion {
	found := c.pathParts(text)
	if len(found) == 1 && strings.HasSuffix(found[0], `\`) {
		return c.pathParts(found[0])
	}
	return found
}

// pathParts returns text with its next part complete: first \Object\ or \Object(*)\, from the
// parenthesis on every instance, then the counters.
func (c *catalogue) pathParts(text string) []cobra.Completion {
	var found []cobra.Completion
	for i := range c.objects {
		o := &c.objects[i]
		head := o.pathHead(text)
		if head == "" {
			found = o.appendHeads(found, text)
			continue
		}
		for _, d := range o.counters {
			if p := head + d.name; hasPrefixFold(p, text) {
				found = append(found, describe(p, d.help))
			}
		}
	}
	return found
}

// pathHead returns what stands before the counter in text, "" as long as that
// is not complete or another object.
func (o *knownObject) pathHead(text string) string {
	stem := `\` + o.name
	if !hasPrefixFold(text, stem) {
		return ""
	}
	rest := text[len(stem):]
	if !o.multi && strings.HasPrefix(rest, `\`) {
		return text[:len(stem)+1]
	}

	end := strings.LastIndex(rest, `)\`)
	if !o.multi || end < 0 || rest[0] != '(' {
		return ""
	}
	return text[:len(stem)+end+len(`)\`)]
}

// appendHeads appends what can stand before the counters of an object, as far
// as text is its beginning.
func (o *knownObject) appendHeads(found []cobra.Completion, text string) []cobra.Completion {
	stem := `\` + o.name
	heads := []string{stem + `\`}
	if o.multi {
		heads[0] = stem + `(*)\`
	}
	if o.multi && hasPrefixFold(text, stem+"(") {
		for _, name := range o.instances() {
			heads = append(heads, stem+"("+name+`)\`)
		}
	}

	for _, h := range heads {
		if hasPrefixFold(h, text) {
			found = append(found, h)
		}
	}
	return found
}

func describe(name, help string) cobra.Completion {
	const columns = 80
	if help == "" {
		return name
	}
	return cobra.CompletionWithDesc(name, shorten(firstSentence(help), columns))
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
