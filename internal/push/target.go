package push

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/sink/metrics"
)

// Target is where metrics are sent, and how. Only the URL is needed.
type Target struct {
	// URL is the address: otlp+http://HOST:4318 or remote-write+https://HOST, with a path
	// where that is not /v1/metrics or /api/v1/write, and a user and password where needed.
	URL string
	// Headers are set in each request.
	Headers map[string]string
	// PasswordFile and BearerFile have the password of the URL's user, or a bearer
	// token. They are read for each request, so that what is in them can change.
	PasswordFile, BearerFile string
	TLS                      TLS
	// Labels are those of all series of remote write, Resource the attributes of the
	// resource of OTLP. See [Identity].
	Labels, Resource []metrics.Label
	// PerMachine are the attributes of Resource that name the machine. With them series that have a label
	// instance are sent by OTLP in a resource of their own, in which these have its value, and without the
	// label.
	PerMachine []string
	// Timeout bounds a request with its answer; 0 means 30 s.
	Timeout time.Duration
	// Gap is the time before the second try, MaxGap that before late ones; 0 mean 1 s and a minute.
	Gap, MaxGap time.Duration
	// Patience is for how long a request is tried, until sending fails; 0 is for ever.
	Patience time.Duration
	// MaxSamples and MaxBytes bound a request before compression; 0 mean 10,000 and 4 MiB.
	MaxSamples, MaxBytes int
	// UserAgent names the program; "" is winperf.
	UserAgent string
	// Number tells targets apart whose URLs look the same; 0 and 1 are not told.
	Number int
}

// TLS says how the other side is known, and how this one shows who it is. The zero TLS trusts
// whom the system trusts.
type TLS struct {
	CAFile            string // certificates of who is trusted, PEM
	CertFile, KeyFile string // of this side, PEM; read again for each connection
	ServerName        string // that the certificate must have; "" is the host of the URL
	Insecure          bool   // takes any certificate
}

// protocol is what a URL's scheme stands for.
type protocol struct {
	scheme string // of the URL that is asked
	path   string // where the URL has none
	otlp   bool
}

var protocols = map[string]protocol{
	"otlp+http":          {"http", "/v1/metrics", true},
	"otlp+https":         {"https", "/v1/metrics", true},
	"remote-write+http":  {"http", "/api/v1/write", false},
	"remote-write+https": {"https", "/api/v1/write", false},
}

// IsURL reports whether a text is a URL of a target, well formed or not: whether it begins
// with one of the schemes.
func IsURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	_, known := protocols[strings.ToLower(scheme)]
	return ok && known
}

// address returns the URL to ask, and the protocol.
func (t *Target) address() (*url.URL, protocol, error) {
	scheme, _, _ := strings.Cut(t.URL, ":")
	p, known := protocols[strings.ToLower(scheme)]
	if !known {
		return nil, p, unknownScheme(t.URL)
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, protocol{}, fmt.Errorf("bad URL of a target: %w", hidden(t.URL, err))
	}
	if _, err := strconv.ParseUint(cmp.Or(u.Port(), "1"), 10, 16); err != nil || u.Port() == "0" {
		return nil, p, badURL(t.URL, "expected a port from 1 to 65535")
	}
	if u.Hostname() == "" || u.Opaque != "" || u.Fragment != "" {
		return nil, p, badURL(t.URL, "expected %s://HOST[:PORT][/PATH]", u.Scheme)
	}

	u.Scheme = p.scheme
	if u.Path == "" || u.Path == "/" {
		u.Path = p.path
	}
	return u, p, nil
}

// unknownScheme says of a URL, well formed or not, which schemes there are, and which one was meant.
func unknownScheme(text string) error {
	scheme, rest, _ := strings.Cut(strings.ToLower(text), ":")
	schemes := slices.Sorted(maps.Keys(protocols))
	near := suggest.Closest(scheme, slices.Values(schemes))
	if scheme == "http" || scheme == "https" { // by the path that it has
		near = "otlp+" + scheme
		if strings.HasSuffix(rest, "/write") || strings.HasSuffix(rest, "/push") {
			near = "remote-write+" + scheme
		}
	}

	hint := ""
	if near != "" {
		hint = fmt.Sprintf(" (did you mean %s://?)", near)
	}
	return badURL(text, "expected %s://HOST%s", strings.Join(schemes, "://, "), hint)
}

// badURL is an error about a URL, which it names as far as people may see it.
func badURL(text, format string, args ...any) error {
	name := shown(text)
	if name != "" {
		name = " " + name
	}
	return fmt.Errorf("bad URL of a target%s: %w", name, fmt.Errorf(format, args...))
}

// shown is a URL as people may see it: without a password, whatever its scheme is. Where the text does not
// tell what may be one it is "".
func shown(text string) string {
	const letters = "+-._0123456789abcdefghijklmnopqrstuvwxyz"
	scheme, rest, ok := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	u, err := url.Parse("x://" + rest) // a scheme with _ is none, and would be no URL
	if !ok || err != nil || strings.Trim(scheme, letters) != "" {
		return ""
	}
	return scheme + strings.TrimPrefix(u.Redacted(), "x")
}

// hidden is an error of url.Parse about a text, without the text, which may have a password in it. Where the
// text has a user nothing is told that the parser quotes of it: of a password with a / that is the beginning,
// taken for a port.
func hidden(text string, err error) error {
	if of, ok := err.(*url.Error); ok { //nolint:errorlint // url.Parse wraps nothing around it
		err = of.Err
	}
	if strings.Contains(text, "@") && strings.Contains(err.Error(), `"`) {
		const form = "SCHEME://USER:PASSWORD@HOST[:PORT][/PATH]; in a password / is %2F, ? %3F, # %23 and % %25"
		return errors.New("expected " + form)
	}
	return err
}

// Name is the target as people may see it: its URL without a password, and its number.
func (t *Target) Name() string {
	name := cmp.Or(shown(t.URL), "a target")
	if t.Number > 1 {
		name += fmt.Sprintf(" (%d)", t.Number)
	}
	return name
}

func (t *Target) settle() {
	t.Timeout = cmp.Or(t.Timeout, 30*time.Second)
	t.Gap = cmp.Or(t.Gap, time.Second)
	t.MaxGap = max(t.Gap, cmp.Or(t.MaxGap, time.Minute))
	t.UserAgent = cmp.Or(t.UserAgent, "winperf")
}

// check tells what is wrong with a header, as the HTTP client would with each request.
func checkHeader(name, value string) error {
	const token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if name == "" || strings.Trim(name, token) != "" {
		return fmt.Errorf("bad header %q: a name has letters, digits and hyphens", name)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }) {
		return fmt.Errorf("bad header %s: its value has control characters", name)
	}
	return nil
}

// Identity returns the labels and the attributes that tell who sends: job and instance,
// and service.name, service.instance.id, service.version, host.name and os.type, as far as they are not "".
// What turns OTLP into Prometheus' labels makes the same job and instance of them.
func Identity(machine, system, version string) (labels, resource []metrics.Label) {
	const name = "winperf"
	labels = []metrics.Label{{Name: "instance", Value: machine}, {Name: "job", Value: name}}
	return labels, []metrics.Label{
		{Name: "host.name", Value: machine},
		{Name: "os.type", Value: system},
		{Name: "service.instance.id", Value: machine},
		{Name: "service.name", Value: name},
		{Name: "service.version", Value: version},
	}
}

// AddLabels sets labels and attributes by name. One without a value is left out.
func (t *Target) AddLabels(byName map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		t.Labels = setLabel(t.Labels, name, byName[name])
		t.Resource = setLabel(t.Resource, name, byName[name])
	}
}

func setLabel(all []metrics.Label, name, value string) []metrics.Label {
	for i := range all {
		if all[i].Name == name {
			all[i].Value = value
			return all
		}
	}
	return append(all, metrics.Label{Name: name, Value: value})
}
