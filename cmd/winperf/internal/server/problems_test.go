package server

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

// Every setting of a target is read strictly, and what cannot be sent is told with its place.
func TestPushConfigErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"    tls: {ca: x}\n", `f:3:11: unknown key "ca" (did you mean ca_file?)`},
		{"    tls: [x]\n", `f:3:10: tls: expected keys with values, found a list`},
		{"    tls: {insecure_skip_verify: 1}\n", `f:3:33: insecure_skip_verify: expected true or false, found "1"`},
		{"    tls: {server_name: [a]}\n", `f:3:24: server_name: expected text, found a list`},
		{"    tls: {ca_file: }\n", `f:3:20: ca_file: expected text, found nothing`},
		{"    tls: {ca_file: a, ca_file: b}\n", `f:3:23: duplicate key "ca_file", first in line 3`},
		{"    tls: {cert_file: a}\n", `f:3:22: tls.cert_file: expected key_file, too`},
		{"    tls: {key_file: a}\n", `f:3:21: tls.key_file: expected cert_file, too`},
		{"    tls: {ca_file: a, insecure_skip_verify: true}\n", `f:3:20: tls.ca_file: insecure_skip_verify accepts any`},
		{"    password_file: a\n    bearer_file: b\n", `f:4:18: bearer_file: password_file is set, too`},
		{"    bearer_file: b\n", `f:3:18: bearer_file: the URL has a user, too`},
		{"    password: a\n", `f:3:5: unknown key "password" (did you mean password_file?)`},
		{"    password_file: {a: b}\n", `f:3:20: password_file: expected text, found keys with values`},
		{"    bearer_file: [a]\n", `f:3:18: bearer_file: expected text, found a list`},
		{"    bearer_token_file: a\n", `f:3:5: unknown key "bearer_token_file"`},
		{"    headers: {a b: x}\n", `f:3:15: headers.a b: bad header "a b": a name has letters`},
		{"    headers: {A: \"x\\ny\"}\n", `f:3:15: headers.A: bad header A: its value has control characters`},
		{"    headers: {A: [x]}\n", `f:3:18: A: expected text, found a list`},
		{"    headers: {A: 1, A: 2}\n", `f:3:21: duplicate key "A", first in line 3`},
		{"    headers: {Content-Type: x}\n", `f:3:15: headers.Content-Type: winperf sets this header itself`},
		{"    headers: [A]\n", `f:3:14: headers: expected keys with values, found a list`},
		{"    labels: {a-b: x}\n", `f:3:14: labels.a-b: bad label "a-b": a name has letters, digits and _, ` +
			`and begins with no digit (did you mean a_b?)`},
		{"    labels: {site: x, __name__: x}\n", `f:3:23: labels.__name__: bad label "__name__": that is the name`},
		{"    labels: {a: ~}\n", `f:3:17: a: expected text, found nothing`},
		{"    labels: {a: 1, a: 2}\n", `f:3:20: duplicate key "a", first in line 3`},
		{"    label: {a: 1}\n", `f:3:5: unknown key "label" (did you mean labels?)`},
		{"    names: [otel]\n", `f:3:12: names: the names otel are for otlp+http://`},
		{"    names: [windows_exprter]\n", `f:3:12: names: unknown names "windows_exprter", expected own or ` +
			`windows_exporter or otel (did you mean windows_exporter?)`},
		{"    interval: 1ms\n", `f:3:15: interval: expected from 10ms to a year`},
		{"    interval: -15s\n", `f:3:15: interval: expected more than 0 and at most a year`},
		{"    interval: 15 seconds\n", `f:3:15: interval: expected a number of seconds or a time such as`},
		{"    queue: {max_size: 0}\n", `f:3:23: max_size: expected more than 0`},
		{"    queue: {max_size: -1G}\n", `f:3:23: max_size: expected a size such as`},
		{"    queue: {max_size: 10K}\n", `f:3:23: queue.max_size: expected at least 1M`},
		{"    queue: {max_age: 0}\n", `f:3:22: max_age: expected more than 0 and at most a year`},
		{"    interval: 1h\n    queue: {max_age: 15m}\n", `f:4:22: queue.max_age: expected at least the interval, 1h0m0s`},
		{"    queue: /var/lib/x\n", `f:3:12: queue: expected keys with values, found text "/var/lib/x"`},
		{"    url: otlp+http://x\n", `f:3:5: duplicate key "url", first in line 2`},
	} {
		text := "push:\n  - url: remote-write+https://me@host\n" + c.text
		wantError(t, text, c.want)
	}
}

// wantError reads a configuration whose one error begins as wanted, and has a place.
func wantError(t *testing.T, text, want string) {
	t.Helper()
	_, err := ParseConfig("f", []byte(text), Sections{})
	var place *winperf.DataError
	switch {
	case err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n"):
		t.Errorf("%q:\n got %v\nwant %s", text, err, want)
	case !errors.As(err, &place) || place.Line == 0 || place.Column == 0:
		t.Errorf("%q: no place in %#v", text, err)
	}
}

func TestMoreConfigErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"timeout: 5s\ntimeout_offset: 5s\n", `f:2:17: timeout_offset: expected less than the timeout, 5s`},
		{"timeout_offset: 20\n", `f:1:17: timeout_offset: expected less than the timeout, 10s`},
		{"timeout_offset: 0\n", `f:1:17: timeout_offset: expected more than 0`},
		{"timeout: 10000h\n", `f:1:10: timeout: expected more than 0 and at most a year`},
		{"max_series: 1e3\n", `f:1:13: max_series: expected a whole number, found "1e3"`},
		{"web: {max_connections: -5}\n", `f:1:24: max_connections: expected 0 or more`},
		{"web: {listen_address: [\":9182\", \":9182\"]}\n", `f:1:33: listen_address: :9182 is given twice`},
		{"objects: Memory\n", `f:1:10: objects: expected a list such as ['Memory'], found text "Memory"`},
		{"collectors: {enabled: [cpu]}\n", `f:1:23: enabled: expected text, found a list`},
		{"collectors: {enable: cpu}\n", `f:1:14: unknown key "enable" (did you mean enabled?)`},
		{"collectors: {enabled: \"cpu,memry\"}\n", `f:1:23: enabled: unknown collector "memry" (did you mean memory?)`},
		{"collector: {servce: {include: x}}\n", `f:1:13: unknown collector "servce" (did you mean service?)`},
		{"collector: {net: {nic-exlude: x}}\n", `f:1:31: nic-exlude: unknown option "nic-exlude" of the collector net (did`},
		{"collector: {net: {nic-exclude: '['}}\n", `f:1:32: nic-exclude: error parsing regexp: missing closing ]: ` + "`[`"},
		{"collector: {cpu: {x: 1}}\n", `f:1:22: x: unknown option "x" of the collector cpu`},
		{"collector: {cpu: 1}\n", `f:1:18: cpu: expected keys with values, found "1"`},
		{"scrape: {timeout-margin: soon}\n", `f:1:26: timeout-margin: expected a number of seconds, found "soon"`},
		{"log: {level: fatal}\n", `f:1:14: log.level: expected debug or info or warn or error, found "fatal"`},
		{"log: {format: jsn}\n", `f:1:15: log.format: expected logfmt or json, found "jsn" (did you mean json?)`},
		{"web: {telemetry_path: metrics}\n", `f:1:23: telemetry_path: expected a path such as /metrics, found "metrics"`},
		{"web: {telemetry_path: /a/../b}\n", `f:1:23: telemetry_path: expected a path such as /metrics`},
		{"web: {telemetry_path: /-/ready}\n", `f:1:23: telemetry_path: /-/ready is another page of the server`},
		{"objects: [\"\"]\n", `f:1:11: objects: expected the name of an object`},
		{"push: [{url: \"otlp+http://me:secret@[::1\"}]\n", `f:1:14: url: bad URL of a receiver: missing ']'`},
	} {
		wantError(t, c.text, c.want)
	}
}

// Objects of performancecounter have their own places, also where they stand as text, and the second
// of two that cannot be together has it.
func TestGenericConfigErrors(t *testing.T) {
	const object = "    - {name: a, object: Memory, counters: [{name: X}]}\n"
	for _, c := range []struct{ text, want string }{
		{object + "    - {name: a, object: Memory, counters: [{name: Y}]}\n", `f:4:7: wrong ` +
			`performancecounter object "a": the name is not unique`},
		{object + "    - {name: b, object: Memory, counters: [{name: X}]}\n",
			`f:4:7: wrong performancecounter object "b": metric windows_performancecounter_memory_x with the same`},
		{"    - {name: a, object: Memory, typ: raw, counters: [{name: X}]}\n",
			`f:3:33: unknown key "typ" (did you mean type?)`},
		{"    - {name: a, object: Memory, type: raw2, counters: [{name: X}]}\n",
			`f:3:7: wrong performancecounter object "a": type must be raw or formatted, not "raw2"; did you mean raw?`},
		{"    - {name: a, object: Memory, counters: [{name: X, labels: {a-b: c}}]}\n",
			`f:3:7: wrong performancecounter object "a": counter X: "a-b" is not a valid label name`},
	} {
		wantError(t, "performancecounter:\n  objects:\n"+c.text, c.want)
		wantError(t, "performancecounter:\n  objects: |-\n"+c.text, c.want)
	}
}

// What is wrong with an object of performancecounter hides nothing else that is wrong with it or with those beside
// it, and nothing is told that only follows from it.
func TestAllGenericErrors(t *testing.T) {
	const text = "    - objct: Memory\n      name: a\n      type: rwa\n      counters: [{name: X, metric: a b}]\n" +
		"    - name: a\n      object: Memory\n      counters: [{name: X, metric: m}, {name: Y, metric: m}]\n" +
		"    - name: b\n      objects: Memory\n      counters:\n" +
		"        - {name: X, metrc: m1}\n        - {name: X, metrc: m2}\n        - {nam: X, labels: {b c: d}}\n" +
		"        - {name: X, metric: m, lables: {a: b}}\n" +
		"    - {nme: c, object: Memory, conters: []}\n" +
		"    - {nme: d, object: Memory, counters: {}}\n    - n\n"
	const wrong = `wrong performancecounter object `
	want := []string{
		`f:3:7: unknown key "objct" (did you mean object?)`,
		`f:3:7: ` + wrong + `"a": type must be raw or formatted, not "rwa"; did you mean raw?`,
		`f:3:7: ` + wrong + `"a": counter X: "a b" is not a valid metric name`,
		`f:7:7: ` + wrong + `"a": the name is not unique`,
		`f:7:7: ` + wrong + `"a": metric m with the same labels is also in "a"`,
		`f:10:7: ` + wrong + `"b": counter number 3: "b c" is not a valid label name, or is the instance label`,
		`f:11:7: unknown key "objects" (did you mean object?)`,
		`f:13:21: unknown key "metrc" (did you mean metric?)`,
		`f:14:21: unknown key "metrc" (did you mean metric?)`,
		`f:15:12: unknown key "nam" (did you mean name?)`,
		`f:16:32: unknown key "lables" (did you mean labels?)`,
		`f:17:8: unknown key "nme" (did you mean name?)`,
		`f:17:32: unknown key "conters" (did you mean counters?)`,
		`f:18:8: unknown key "nme" (did you mean name?)`,
		`f:18:42: counters: expected a list, found keys with values`,
	}
	const none = `expected keys with values, found text "n"`
	for list, also := range map[string]string{"": "f:19:7: objects: " + none, " |-": "f:19:7: " + none} {
		_, err := ParseConfig("f", []byte("performancecounter:\n  objects:"+list+"\n"+text), Sections{})
		got := strings.Split(err.Error(), "\n")
		slices.Sort(got)
		want := append(slices.Clone(want), also)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("objects:%s (-want +got):\n%s", list, diff)
		}
	}
}

// A metric that collectors of windows_exporter have can be one's own where their names are not used, whatever
// says so.
func TestGenericNamesTaken(t *testing.T) {
	const object = "performancecounter:\n  objects:\n    - name: a\n      object: Memory\n      counters:\n" +
		"        - {name: X, metric: mine}\n        - {name: Available Bytes, metric: windows_memory_available_bytes}\n"
	const taken = `f:3:7: performancecounter.objects: wrong performancecounter object "a": ` +
		`metric windows_memory_available_bytes belongs to another collector of windows_exporter`
	for _, c := range []struct {
		names string
		flags []metrics.Scheme
		want  string
	}{
		{"[own]", nil, ""},
		{"[]", nil, ""},
		{"[own, windows_exporter]", nil, taken},
		{"[own]", []metrics.Scheme{metrics.WindowsExporter}, taken},
		{"[windows_exporter]", []metrics.Scheme{metrics.Own}, ""},
		{"[own]\npush: [{url: otlp+http://h, names: [windows_exporter]}]", nil, taken},
	} {
		config, err := ParseConfig("f", []byte(object+"names: "+c.names+"\n"), Sections{})
		if err != nil {
			t.Error(err)
			continue
		}
		if c.flags != nil {
			config.Names = c.flags
		}
		got := ""
		if err := config.Check(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s, flags %v:\n got %s\nwant %s", c.names, c.flags, got, c.want)
		}
	}
}

// A metric about winperf itself would stand in the place of one's own of that name: both are refused together with
// what else is wrong.
func TestGenericNamesOfItself(t *testing.T) {
	config, err := ParseConfig("f", []byte("performancecounter:\n  objects:\n    - name: a\n      object: Memory\n"+
		"      counters:\n        - {name: X, metric: go_info}\n        - {name: Y, metric: windows_os_time}\n"+
		"        - {name: Z, metric: go_goroutines}\n        - {name: T, metric: go_information}\n"+
		"names: [windows_exporter]\n"), Sections{})
	if err != nil {
		t.Fatal(err)
	}
	const at = `f:3:7: performancecounter.objects: wrong performancecounter object "a": metric `
	want := at + "windows_os_time belongs to another collector of windows_exporter\n" +
		at + "go_info is reserved for winperf itself\n" + at + "go_goroutines is reserved for winperf itself"
	if err := config.Check(); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// What is wrong with the form and with values is told at once, by line; what follows from
// something else that is wrong is not.
func TestAllConfigErrors(t *testing.T) {
	const text = "timeout: -1\npush:\n  - url: otlp+htp://x\n    interval: soon\n" +
		"    labels: {a: [1]}\n  - names: [own]\nmax_serie: 5\n"
	_, err := ParseConfig("f", []byte(text), Sections{})
	lines := []string{"f:1:10: timeout: ", "f:3:10: url: ", "f:4:15: interval: ", "f:5:17: a: ",
		"f:6:5: the key url is missing", "f:7:1: unknown key"}
	got := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if len(got) != len(lines) || !strings.HasPrefix(got[i], line) {
			t.Fatalf("got\n%v\nwant\n%s", err, strings.Join(lines, "\n"))
		}
	}
}

// Files that cannot be used have the place where they are named, but not where a flag has put
// another one there.
func TestCheckFilePlaces(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("STATE_DIRECTORY", dir)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	file = "'" + file + "'"
	shared := "'" + filepath.Join(dir, "shared") + "'"
	for _, c := range []struct{ text, want string }{
		{"web: {config_file: none.yml}\n", `f:1:20: config_file: none.yml: `},
		{"push: [{url: otlp+https://me@x, password_file: none}]\n", `f:1:48: password_file: none: `},
		{"push: [{url: otlp+https://x, bearer_file: none}]\n", `f:1:43: bearer_file: none: `},
		{"push: [{url: otlp+https://x, tls: {ca_file: none}}]\n", `f:1:45: tls.ca_file: none: `},
		{"push: [{url: otlp+https://x, tls: {ca_file: " + file + "}}]\n", `f:1:45: tls.ca_file: `},
		{
			"push: [{url: otlp+https://x, tls: {cert_file: none, key_file: " + file + "}}]\n",
			`f:1:47: tls.cert_file: none: `,
		},
		{"push:\n  - url: otlp+http://x\n    queue: {dir: " + file + "}\n", `f:3:18: queue.dir: `},
		{
			"push:\n  - url: otlp+http://x\n    queue: {dir: " + shared + "}\n" +
				"  - url: otlp+http://y\n    queue: {dir: " + shared + "}\n",
			`f:5:18: queue.dir: "`,
		},
		{
			"push:\n  - url: otlp+http://x\n  - url: otlp+http://me:secret@x\n  - url: otlp+http://x\n",
			`f:4:5: queue.dir: otlp+http://x is given twice with the same queue`,
		},
	} {
		config, err := ParseConfig("f", []byte(c.text), Sections{})
		if err != nil {
			t.Error(err)
			continue
		}
		if err := config.Check(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}

}

// All that is wrong with a file of the exporter toolkit is told, a line each, with the place of its name where a
// configuration has that.
func TestCheckWebFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "web.yml")
	hash := "$2y$10$" + strings.Repeat("a", 53)
	const users = ": basic_auth_users: expected a bcrypt hash of the password of "
	for _, c := range []struct {
		text string
		want []string
	}{
		{"basic_auth_users: {a: " + hash + "}\n", nil},
		{"tls_server_confg: {}\n\nbasic_auth_user: {}\n", []string{
			`:1:1: unknown key "tls_server_confg" (did you mean tls_server_config?)`,
			`:3:1: unknown key "basic_auth_user" (did you mean basic_auth_users?)`,
		}},
		{"basic_auth_users: {a: " + hash + ", bob: secret}\n", []string{":1:90" + users + "bob,"}},
		{"basic_auth_users:\n  bob: secret\n  al.x: ''\n  c: " + hash + "\n", []string{
			":2:8" + users + "bob,", ":3:9" + users + "al.x,",
		}},
		{"basic_auth_users: {a: $9" + hash[2:] + "}\n", []string{":1:23" + users + "a,"}},
		{"basic_auth_users: {a: $2y$99" + hash[6:] + "}\n", []string{":1:23" + users + "a,"}},
		{"tls_server_config: {cert_file: none}\n", []string{": tls_server_config: cert_file: open "}},
	} {
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		config, err := ParseConfig("f", []byte("web: {config_file: '"+name+"'}\n"), Sections{})
		if err != nil {
			t.Fatal(err)
		}
		flags := Config{Web: Web{ConfigFile: name}}
		for begin, config := range map[string]*Config{
			"f:1:20: config_file: ": &config, "--web.config.file: ": &flags,
		} {
			var got []string
			if err := config.Check(); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			same := len(got) == len(c.want)
			for i := range min(len(got), len(c.want)) {
				same = same && strings.HasPrefix(got[i], begin+name+c.want[i]) && !strings.Contains(got[i], "secret")
			}
			if !same {
				t.Errorf("%s:\n got %s\nwant %s%s", c.text, strings.Join(got, "\n"), begin, strings.Join(c.want, "\n"))
			}
		}
	}
}

// What was set after the file was read has no place in it, whatever stands there.
func TestChangedConfigPlaces(t *testing.T) {
	const text = "max_series: 5\ntimeout_offset: 1s\npush:\n  - {url: otlp+http://h, interval: 5s}\n" +
		"web: {config_file: none.yml, listen_address: [':1']}\n"
	for want, change := range map[string]func(*Config){
		"f:5:20: config_file: none.yml: ":  func(*Config) {},
		"--web.config.file: other.yml: ":   func(c *Config) { c.Web.ConfigFile = "other.yml" },
		"--max-series: expected 0 or more": func(c *Config) { c.Web.ConfigFile, c.MaxSeries = "", -1 },
		"--web.listen-address: expected host": func(c *Config) {
			c.Web.ConfigFile, c.Web.Listen = "", []string{"1"}
		},
		"--timeout-offset: expected less than": func(c *Config) { c.Web.ConfigFile, c.TimeoutOffset = "", 1<<40 },
		"f:2:17: timeout_offset: expected":     func(c *Config) { c.Web.ConfigFile, c.Timeout = "", 1 },
		"otlp+http://x: --push-interval: expected from": func(c *Config) {
			c.Web.ConfigFile, c.Push = "", []Target{{URL: "otlp+http://x", Interval: 1}}
		},
	} {
		config, err := ParseConfig("f", []byte(text), Sections{})
		if err != nil {
			t.Fatal(err)
		}
		change(&config)
		if err := config.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
