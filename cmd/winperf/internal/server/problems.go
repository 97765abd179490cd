package server

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/winperf/winperf/cmd/winperf/internal/server/internal/webconfig"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
)

type problem struct {
	key   string // as in files: push[0].tls.ca_file
	value string // if it is text
	err   error
}

// wrong returns an error about a problem, with its place if the value is from the file.
func (c *Config) wrong(p problem) error {
	key, _, _ := strings.Cut(p.key, "[") // the whole list; its element has the place
	name, target := "", 0
	if n, _ := fmt.Sscanf(p.key, "push[%d].", &target); n == 1 && target < len(c.Push) {
		_, key, _ = strings.Cut(p.key, ".")
		to := c.Push[target].target("", "")
		to.Number = c.numberOf(target)
		name = to.Name() + ": "
	}

	err := p.err
	if file, ok := err.(*fs.PathError); ok { //nolint:errorlint // users do not need the name of the call
		err = fmt.Errorf("%s: %w", file.Path, file.Err)
	}
	place, ok := c.places.Find(p.key, p.value)
	ok = ok && c.ofFile(p.key)
	switch {
	case !ok && key == "url": // the error names it
		return err
	case !ok && (c.places == nil || !c.ofFile(p.key)):
		return fmt.Errorf("%s%s: %w", name, flagOf(key, name != ""), err)
	case !ok:
		return fmt.Errorf("%s%s: %w", name, key, err)
	case strings.HasPrefix(key, "headers.") || strings.HasPrefix(key, "labels."):
		return place.Key.Errorf("%s: %w", key, err)
	}
	return place.Errorf("%s: %w", strings.TrimPrefix(key, "web."), err)
}

// flagOf returns the flag of serve that sets a key, or of a target's key, or else the key.
func flagOf(key string, ofTarget bool) string {
	group, name, _ := strings.Cut(key, ".")
	switch {
	case ofTarget && group == "headers":
		return "--push-header " + name
	case ofTarget && group == "labels":
		return "--push-label " + name
	case ofTarget:
		key = "push." + key
	}
	return cmp.Or(flags[key], key)
}

var flags = map[string]string{
	"source":              "--source",
	"language":            "--language",
	"objects":             "--object",
	"names":               "--names",
	"exclude":             "--exclude",
	"costly_interval":     "--costly-interval",
	"timeout":             "--timeout",
	"timeout_offset":      "--timeout-offset",
	"max_series":          "--max-series",
	"web.listen_address":  "--web.listen-address",
	"web.config_file":     "--web.config.file",
	"web.max_connections": "--web.max-connections",
	"web.telemetry_path":  "--web.telemetry-path",
	"log.level":           "--log.level",
	"log.format":          "--log.format",
	"collectors.enabled":  "--collectors.enabled",

	"push.names":           "--push-names",
	"push.interval":        "--push-interval",
	"push.password_file":   "--push-password-file",
	"push.bearer_file":     "--push-bearer-file",
	"push.tls.ca_file":     "--push-ca",
	"push.tls.cert_file":   "--push-cert",
	"push.tls.key_file":    "--push-key",
	"push.tls.server_name": "--push-server-name",
	"push.queue.dir":       "--push-queue",
	"push.queue.max_size":  "--push-queue-size",
	"push.queue.max_age":   "--push-queue-age",
}

var settings = map[string]func(*Config) any{
	"source":              func(c *Config) any { return c.Source },
	"language":            func(c *Config) any { return c.Language },
	"paths":               func(c *Config) any { return c.Paths },
	"objects":             func(c *Config) any { return c.Objects },
	"names":               func(c *Config) any { return c.Names },
	"exclude":             func(c *Config) any { return c.Exclude },
	"costly_interval":     func(c *Config) any { return c.CostlyInterval },
	"timeout":             func(c *Config) any { return c.Timeout },
	"timeout_offset":      func(c *Config) any { return c.TimeoutOffset },
	"max_series":          func(c *Config) any { return c.MaxSeries },
	"push":                func(c *Config) any { return c.Push },
	"web.listen_address":  func(c *Config) any { return c.Web.Listen },
	"web.config_file":     func(c *Config) any { return c.Web.ConfigFile },
	"web.max_connections": func(c *Config) any { return c.Web.MaxConnections },
	"web.telemetry_path":  func(c *Config) any { return c.Web.TelemetryPath },
	"log.level":           func(c *Config) any { return c.Log.Level },
	"log.format":          func(c *Config) any { return c.Log.Format },
	"collectors.enabled":  func(c *Config) any { return c.Collectors },
}

func (c *Config) ofFile(key string) bool {
	name, _, _ := strings.Cut(key, "[")
	value := settings[name]
	return value == nil || reflect.DeepEqual(value(c), value(c.read))
}

// Check returns all errors of a configuration that do not depend on its source: invalid values and
// combinations, and unusable files. Errors about values of a file have line and column.
func (c *Config) Check() error {
	check := checker{}
	for _, p := range slices.Concat(c.problems(), c.sentGenericProblems(), c.fileProblems()) {
		wrong := func(err error) error { return c.wrong(problem{p.key, p.value, err}) }
		check.errs = append(check.errs, eachOf(p.err, wrong))
	}
	return check.err()
}

func (c *Config) problems() (list []problem) {
	wrong := func(key, value string, err error) {
		if err != nil {
			list = append(list, problem{key, value, err})
		}
	}
	for i, address := range c.Web.Listen {
		err := checkAddress(address)
		anyPort := strings.HasSuffix(address, ":0") // each use is another port
		if err == nil && !anyPort && slices.Contains(c.Web.Listen[:i], address) {
			err = fmt.Errorf("%s is given twice", address)
		}
		wrong(fmt.Sprintf("web.listen_address[%d]", i), address, err)
	}
	for i := range c.Push {
		list = append(list, c.Push[i].problems(fmt.Sprintf("push[%d].", i))...)
	}

	if c.Web.MaxConnections < 0 {
		wrong("web.max_connections", "", errors.New("expected 0 or more"))
	}
	wrong("web.telemetry_path", c.Web.TelemetryPath, checkTelemetryPath(c.Web.TelemetryPath))
	wrong("log.level", c.Log.Level, oneOf(c.Log.Level, logLevels))
	wrong("log.format", c.Log.Format, oneOf(c.Log.Format, logFormats))
	return append(list, c.servedProblems()...)
}

func (c *Config) servedProblems() (list []problem) {
	for _, err := range joined(c.Config.Check()) {
		of, ok := errors.AsType[*serve.ConfigError](err)
		if !ok {
			continue
		}
		key, object := of.Key, 0
		if n, _ := fmt.Sscanf(key, "performancecounter.objects[%d]", &object); n == 1 {
			key = c.keyOfObject(object)
		}
		list = append(list, problem{key, of.Value, of.Err})
	}
	return list
}

func (c *Config) sentGenericProblems() (list []problem) {
	var names []metrics.Scheme
	for i := range c.Push {
		names = append(names, c.Push[i].Names...)
	}
	for i, err := range metrics.CheckGenerics(c.Counters, names) {
		if err != nil {
			list = append(list, problem{c.keyOfObject(i), "", err})
		}
	}
	return list
}

var errTime = errors.New("expected more than 0 and at most a year")

func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("expected host:port, such as %s or :9182: %w", DefaultAddress, err)
	}
	return nil
}

// The values of Log.
var (
	logLevels  = []string{"debug", "info", "warn", "error"}
	logFormats = []string{"logfmt", "json"}
)

func oneOf(word string, words []string) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("expected %s, found %q%s", strings.Join(words, " or "), word, didYouMean(word, words))
}

// checkTelemetryPath returns an error for a path that is no plain path, or that another page has.
func checkTelemetryPath(at string) error {
	switch {
	case at == "":
		return nil
	case !regexp.MustCompile(`^(/[A-Za-z0-9_.~-]+)+$`).MatchString(at) || path.Clean(at) != at:
		return fmt.Errorf("expected a path such as /metrics, found %q", at)
	case strings.HasPrefix(at, "/-/") || strings.HasPrefix(at, "/debug/") || at == "/health":
		return fmt.Errorf("%s is another page of the server", at)
	}
	return nil
}

const leastQueue = 1 << 20

// problems returns the errors of a target; key is the prefix of its keys.
func (t *Target) problems(key string) (list []problem) {
	to := t.target("", "")
	for _, p := range to.Check() {
		list = append(list, problem{key + p.Key, p.Value, p.Err})
	}

	wrong := func(name string, err error) { list = append(list, problem{key + name, "", err}) }
	if slices.Contains(t.Names, metrics.OTel) && !strings.HasPrefix(strings.ToLower(t.URL), "otlp") {
		wrong("names", errors.New("the names otel are for otlp+http:// and otlp+https:// only"))
	}
	if t.Interval != 0 && (t.Interval < measure.LeastInterval || t.Interval > serve.MaxTime) {
		wrong("interval", fmt.Errorf("expected from %v to a year", measure.LeastInterval))
	}
	if t.Queue.MaxBytes != 0 && t.Queue.MaxBytes < leastQueue {
		wrong("queue.max_size", errors.New("expected at least 1M, the size of a few samples"))
	}
	if t.Queue.MaxAge < 0 || t.Queue.MaxAge > serve.MaxTime {
		wrong("queue.max_age", errTime)
	}
	if t.Queue.MaxAge != 0 && t.Queue.MaxAge < t.Interval {
		const form = "expected at least the interval, %v: otherwise no sample is kept"
		wrong("queue.max_age", fmt.Errorf(form, t.Interval))
	}
	return list
}

func (c *Config) fileProblems() (list []problem) {
	if err := webconfig.Check(c.Web.ConfigFile); err != nil {
		list = append(list, problem{"web.config_file", c.Web.ConfigFile, err})
	}

	first := map[string]*Target{}
	for i := range c.Push {
		t, key := &c.Push[i], fmt.Sprintf("push[%d].", i)
		to := t.target("", "")
		for _, p := range to.CheckFiles() {
			list = append(list, problem{key + p.Key, p.Value, p.Err})
		}

		dir, err := t.queueDirectory()
		if other := first[dir]; other != nil {
			err = other.sharedQueue(t, dir)
		}
		if err != nil {
			list = append(list, problem{key + "queue.dir", t.Queue.Dir, err})
		} else if dir != "" {
			first[dir] = t
		}
	}
	return list
}

// queueDirectory returns the canonical path of the queue, or "" if it is only known at the start.
func (t *Target) queueDirectory() (string, error) {
	dir, err := t.directory()
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", nil //nolint:nilerr // the start reports that no directory is usable
	}

	if is, err := os.Stat(dir); err == nil && !is.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if runtime.GOOS == "windows" {
		dir = strings.ToLower(dir)
	}
	return dir, nil
}

// sharedQueue returns the error for two targets with the same queue.
func (t *Target) sharedQueue(other *Target, dir string) error {
	to := t.target("", "")
	if other.Queue.Dir == "" {
		const form = "%s is given twice with the same queue: set a different queue.dir for each, or remove one"
		return fmt.Errorf(form, to.Name())
	}
	const form = "%q is already the queue of %s: each target needs its own"
	return fmt.Errorf(form, dir, to.Name())
}
