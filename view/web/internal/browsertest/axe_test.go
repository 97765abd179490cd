package browsertest

import (
	"crypto/sha512"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The npm package axe-core, which finds violations of accessibility rules. Only this test uses it.
const (
	axeVersion   = "4.14.1"
	axeIntegrity = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// axe returns the script of axe-core, from the user's cache or from npm.
func axe(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	if cache, err := os.UserCacheDir(); err == nil {
		directory = filepath.Join(cache, "winperf-test")
	}
	file := filepath.Join(directory, "axe-core-"+axeVersion+".tgz")
	if _, err := os.Stat(file); err != nil {
		download(t, directory)
	}

	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha512.Sum512(data); base64.StdEncoding.EncodeToString(sum[:]) != axeIntegrity {
		t.Fatalf("%s has another checksum than expected; delete it", file)
	}
	script, err := exec.Command("tar", "xzOf", file, "package/axe.min.js").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

func download(t *testing.T, directory string) {
	t.Helper()
	if err := os.MkdirAll(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("npm", "pack", "--silent", "axe-core@"+axeVersion)
	cmd.Dir = directory
	if out, err := cmd.CombinedOutput(); err != nil {
		message := "npm has no axe-core: " + err.Error() + "\n" + string(out)
		if os.Getenv("CI") == "true" {
			t.Fatal(message)
		}
		t.Skip(message)
	}
}

// TestAccessible runs axe-core in the views. Colors do not depend on the width of the window.
func TestAccessible(t *testing.T) {
	t.Parallel()
	script := axe(t)
	views := map[string]string{
		"overview": "view=overview", "empty": "view=charts", "compare": exampleCharts + "&with=1&search=disk", "values": "view=values",
		"memory": "view=values&object=Memory", "damaged": "source=2",
	}

	for _, window := range []struct {
		width int64
		theme string
		views []string
	}{
		{1280, "light", []string{"overview", "empty", "compare", "values", "memory", "damaged"}},
		{1280, "dark", []string{"overview", "compare", "values"}},
		{360, "light", []string{"overview", "compare"}},
	} {
		p := open(t, window.width, 800, "")
		for _, name := range window.views {
			p.visit(views[name] + "&theme=" + window.theme)
			p.audit(script, name)
		}
		eval[any](p, `document.querySelector('dialog').showModal()`)
		p.audit(script, "help")
		p.check()
	}
}

// audit reports the violations that axe-core finds.
func (p *page) audit(script, view string) {
	p.t.Helper()
	eval[any](p, script+"; 0")
	violations := eval[[]string](p, `axe.run().then(({violations}) => violations.map((one) =>
		one.id + ': ' + one.help + ': ' + one.nodes.slice(0, 5).map((node) => node.html.slice(0, 160) + ' ' + node.any.map((check) => check.message)).join(' | ')))`)
	for _, violation := range violations {
		p.t.Errorf("%s, %s: %s", view, eval[string](p, `innerWidth + ' ' + document.documentElement.dataset.theme`), violation)
	}
}
