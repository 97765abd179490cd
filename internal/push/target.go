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

// Target is a receiver of metrics with its settings. Only the URL is required.
type Target struct {
	// URL is the address: otlp+http://HOST:4318 or remote-write+https://HOST, with a path
	// other than /v1/metrics or /api/v1/write, user and password if needed.
	URL string
	// Headers are set in each request.
	Headers map[string]string
	// PasswordFile and BearerFile contain the password of the URL's user, or a bearer
	// token. They are read for each request, so they may change.
	PasswordFile, BearerFile string
	TLS                      TLS
	// Labels are added to all series of remote write; Resource are the attributes of the
	// resource of OTLP. See [Identity].
	Labels, Resource []metrics.Label
	// PerMachine are the attributes of Resource that name the machine. OTLP sends series
	// with a label instance in a separate resource, in which these attributes have its
	// value, without the label.
	PerMachine []string
	// Timeout limits a request with its answer; 0 means 30 s.
	Timeout time.Duration
	// Gap is the time before the second try, MaxGap the longest gap; 0 means 1 s and a
	// minute.
	Gap, MaxGap time.Duration
	// RetryTimeout limits the time for which a request is retried; 0 means no limit.
	RetryTimeout time.Duration
	// MaxSamples and MaxBytes limit a request before compression; 0 means 10,000 and 4 MiB.
	MaxSamples, MaxBytes int
	// UserAgent is the program; "" is winperf.
	UserAgent string
	// Number distinguishes targets with equal URLs in messages; 0 and 1 are not shown.
	Number int
}

// TLS configures the certificates. The zero TLS trusts the system's authorities.
type TLS struct {
	CAFile            string // trusted certificates, PEM
	CertFile, KeyFile string // of the client, PEM; read for each connection
	ServerName        string // name in the certificate; "" is the host of the URL
	Insecure          bool   // accepts any certificate
}

// protocol is the meaning of a URL's scheme.
type protocol struct {
	scheme string // of the HTTP request
	path   string // default path
	otlp   bool
}

var protocols = map[string]protocol{
	"otlp+http":          {"http", "/v1/metrics", true},
	"otlp+https":         {"https", "/v1/metrics", true},
	"remote-write+http":  {"http", "/api/v1/write", false},
	"remote-write+https": {"https", "/api/v1/write", false},
}

// IsURL reports whether a text begins with a scheme of a target.
func IsURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	_, known := protocols[strings.ToLower(scheme)]
	return ok && known
}

func (t *Target) address() (*url.URL, protocol, error) {
	scheme, _, _ := strings.Cut(t.URL, ":")
	p, known := protocols[strings.ToLower(scheme)]
	if !known {
		return nil, p, unknownScheme(t.URL)
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, protocol{}, fmt.Errorf("bad URL of a receiver: %w", hidden(t.URL, err))
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

func unknownScheme(text string) error {
	scheme, rest, _ := strings.Cut(strings.ToLower(text), ":")
	schemes := slices.Sorted(maps.Keys(protocols))
	near := suggest.Closest(scheme, slices.Values(schemes))
	if scheme == "http" || scheme == "https" { // by the path
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

// badURL returns an error about a URL, without secrets.
func badURL(text, format string, args ...any) error {
	name := shown(text)
	if name != "" {
		name = " " + name
	}
	return fmt.Errorf("bad URL of a receiver%s: %w", name, fmt.Errorf(format, args...))
}

// shown returns a URL without a password, or "" if the password cannot be found.
func shown(text string) string {
	const letters = "+-._0123456789abcdefghijklmnopqrstuvwxyz"
	scheme, rest, ok := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	u, err := url.Parse("x://" + rest) // net/url does not accept _ in a scheme
	if !ok || err != nil || strings.Trim(scheme, letters) != "" {
		return ""
	}
	return scheme + strings.TrimPrefix(u.Redacted(), "x")
}

// hidden returns an error of url.Parse without the text, which may contain a password. If
// the text has a user, quotes of the parser are hidden, too: a password with a / is partly
// parsed as a port.
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

// Name returns the target's URL without a password, and its number.
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

// checkHeader checks a header as the HTTP client does.
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

// Identity returns the labels and attributes of the sender: job and instance; and
// service.name, service.instance.id, service.version, host.name and os.type, without empty
// ones. Both map to the same job and instance in Prometheus.
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

// AddLabels sets labels and attributes by name. Labels with an empty value are not sent.
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
