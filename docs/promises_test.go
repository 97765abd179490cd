// Package docs_test checks the documentation: the promises in promises.md, the commands and the links.
package docs_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A sentence with one of these words is a promise, which needs a test.
var promising = regexp.MustCompile(`\b(wraps|never|at most|stays? valid|valid (until|as long as|while)` +
	`|allocates? nothing|may be called (from|by|at)|safe for|at the same time|goroutines|any goroutine)\b`)

var promise = regexp.MustCompile("^- `([^`]+)`: (.*) -> (`.*`)$")

// TestPromises compares promises.md with the documentation of the public packages, as go doc
// shows it on Linux, and with the tests that exist.
func TestPromises(t *testing.T) {
	said := sentences(t)
	listed := map[string]bool{}
	text, err := os.ReadFile("promises.md")
	if err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(string(text)) {
		parts := promise.FindStringSubmatch(strings.TrimSpace(line))
		switch {
		case !strings.HasPrefix(line, "- "):
			continue
		case parts == nil:
			t.Errorf("no promise and test: %s", line)
			continue
		case !said[parts[1]+": "+parts[2]]:
			t.Errorf("the documentation of %s does not say: %s", parts[1], parts[2])
		}

		listed[parts[1]+": "+parts[2]] = true
		for name := range strings.SplitSeq(parts[3], ", ") {
			if name = strings.Trim(name, "`"); !testExists(t, name) {
				t.Errorf("%s: there is no test %s", parts[1], name)
			}
		}
	}

	for sentence := range said {
		if _, text, _ := strings.Cut(sentence, ": "); promising.MatchString(text) && !listed[sentence] {
			name, text, _ := strings.Cut(sentence, ": ")
			t.Errorf("promises.md lacks\n- `%s`: %s -> `package.TestName`", name, text)
		}
	}
}

// testExists reports whether a test is declared, which is named by the directory of its package
// and its name: "sink/otlp.TestEncode". The root package is "winperf".
func testExists(t *testing.T, name string) bool {
	dir, function, _ := strings.Cut(name, ".")
	files, err := filepath.Glob(filepath.Join("..", strings.TrimPrefix(dir, "winperf"), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "\nfunc "+function+"(")
	})
}

// sentences returns the sentences of the public packages, each after its name: "sink/otlp.Encoder.Encode: ...".
func sentences(t *testing.T) map[string]bool {
	said := map[string]bool{}
	linux := build.Default
	linux.GOOS, linux.GOARCH = "linux", "amd64"

	err := filepath.WalkDir("..", func(dir string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case hidden(entry.Name()):
			return filepath.SkipDir
		}

		files, err := linux.ImportDir(dir, 0)
		if empty := (*build.NoGoError)(nil); errors.As(err, &empty) {
			return nil
		} else if err != nil {
			return err
		}

		name := strings.TrimPrefix(filepath.ToSlash(dir), "../")
		if dir == ".." {
			name = "winperf"
		}
		for _, file := range files.GoFiles {
			read(t, filepath.Join(dir, file), name, said)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// hidden reports whether programs outside cannot import packages of a directory of this name.
func hidden(dir string) bool {
	return slices.Contains([]string{"internal", "cmd", "examples", "testdata"}, dir) ||
		strings.HasPrefix(dir, ".") && dir != ".."
}

// read adds the sentences of a file's exported declarations.
func read(t *testing.T, path, name string, said map[string]bool) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	add(said, name, file.Doc)
	ast.FileExports(file)

	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if owner := receiver(decl); ast.IsExported(owner) {
				add(said, name+"."+owner+"."+decl.Name.Name, decl.Doc)
			} else if owner == "" {
				add(said, name+"."+decl.Name.Name, decl.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				readSpec(said, name, decl, spec)
			}
		}
	}
}

// receiver returns the name of the type of which a function is a method, or "".
func receiver(decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return ""
	}
	owner := decl.Recv.List[0].Type
	if pointer, ok := owner.(*ast.StarExpr); ok {
		owner = pointer.X
	}
	if generic, ok := owner.(*ast.IndexExpr); ok {
		owner = generic.X
	}
	return owner.(*ast.Ident).Name
}

// readSpec adds the sentences of one type, constant or variable. The comment of a group belongs to its first name.
func readSpec(said map[string]bool, name string, decl *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		name += "." + spec.Names[0].Name
		add(said, name, spec.Doc, spec.Comment)
	case *ast.TypeSpec:
		name += "." + spec.Name.Name
		add(said, name, spec.Doc, spec.Comment)
		ast.Inspect(spec.Type, func(node ast.Node) bool {
			if field, ok := node.(*ast.Field); ok && len(field.Names) > 0 {
				add(said, name+"."+field.Names[0].Name, field.Doc, field.Comment)
			}
			return true
		})
	}
	if spec == decl.Specs[0] {
		add(said, name, decl.Doc)
	}
}

// add adds the sentences of comments, without examples of code.
func add(said map[string]bool, name string, comments ...*ast.CommentGroup) {
	for _, comment := range comments {
		for paragraph := range strings.SplitSeq(comment.Text(), "\n\n") {
			if strings.HasPrefix(paragraph, "\t") {
				continue
			}
			text := strings.Join(strings.Fields(paragraph), " ")
			for _, sentence := range split(text) {
				said[name+": "+sentence] = true
			}
		}
	}
}

var end = regexp.MustCompile(`[.!?] [^a-z]`)

// split returns the sentences of a paragraph.
func split(text string) []string {
	var all []string
	for {
		place := end.FindStringIndex(text)
		if place == nil {
			return append(all, text)
		}
		all = append(all, text[:place[0]+1])
		text = text[place[0]+2:]
	}
}
