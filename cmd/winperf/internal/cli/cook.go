package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/counter"
)

func (a *app) cookCommand() *cobra.Command {
	var opt cookOptions
	cmd := &cobra.Command{
		Use:   "cook [TYPE...]",
		Short: "Compute displayable values from raw samples",
		Long: `Cook reads raw samples from standard input, one JSON object a line, and writes
the displayable value of each as a JSON object:

  in   {"type": name or number,
        "prev": {"value":…, "base":…, "multi":…, "perf_time":…, "perf_freq":…,
                 "time_100ns":…, "object_time":…, "object_freq":…},
        "cur": {…}}
  out  {"value": number or null, "unit":…, "status":…, "error":…}

prev may be left out where one sample is enough; fields that the type does not
use may be left out too. error is there only when something was wrong with the
line. With TYPE it shows what is known about that type instead, with --list
about all.

Exit status: 0 done, 1 nothing could be read, 3 a line could not be read.`,
		Example: `  echo '{"type":"PERF_RAW_FRACTION","cur":{"value":20,"base":50}}' | winperf cook
  winperf cook < samples.jsonl > values.jsonl
  winperf cook --list
  winperf cook PERF_100NSEC_TIMER_INV 0x20470500`,
		RunE: func(cmd *cobra.Command, args []string) error {
			w := bufio.NewWriter(a.stdout)
			switch {
			case opt.list && len(args) > 0:
				return errors.New("--list shows all types: leave out TYPE")
			case opt.list:
				return errors.Join(listTypes(w), w.Flush())
			case len(args) > 0:
				return errors.Join(describeTypes(w, args), w.Flush())
			}
			return errors.Join(a.cookLines(w, opt), w.Flush())
		},
		ValidArgsFunction: completeType,
	}
	opt.add(cmd)
	return cmd
}

// cookOptions are the readings of formulas to choose between.
type cookOptions struct {
	list bool
	wrap string
	counter.Options
}

func (o *cookOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "show all types with unit, operands and formula")
	f.StringVar(&o.wrap, "wrap", "plausible", "`WHEN` a 4-byte value that fell has wrapped: plausible, never or always")
	f.BoolVar(&o.Cap100, "cap100", false, "show percentages above 100 as 100, as PDH does")
	f.BoolVar(&o.Clamp, "clamp", false, "show small negative results of inverse timers as 0")
	f.BoolVar(&o.MultiTimerTimeBase, "multi-time-base", false, "multiply PERF_COUNTER_MULTI_TIMER by the clock's frequency, as documents print it")
	f.BoolVar(&o.MultiInverseDivide, "multi-inverse-divide", false, "divide inverse multi-timers by the number of components, as older documents print it")
	complete(cmd, "wrap", cobra.FixedCompletions([]cobra.Completion{"plausible", "never", "always"}, cobra.ShellCompDirectiveNoFileComp))
}

var wrapPolicies = map[string]counter.WrapPolicy{
	"plausible": counter.WrapPlausible,
	"never":     counter.WrapNever,
	"always":    counter.WrapAlways,
}

// cookSample is one raw sample of a line.
type cookSample struct {
	Value      uint64  `json:"value"`
	Base       *uint64 `json:"base"`
	Multi      *uint64 `json:"multi"`
	PerfTime   int64   `json:"perf_time"`
	PerfFreq   int64   `json:"perf_freq"`
	Time100ns  int64   `json:"time_100ns"`
	ObjectTime int64   `json:"object_time"`
	ObjectFreq int64   `json:"object_freq"`
}

func (s *cookSample) sample() *counter.Sample {
	if s == nil {
		return nil
	}
	out := &counter.Sample{Value: s.Value, Clocks: counter.Clocks{
		PerfTime: s.PerfTime, PerfFreq: s.PerfFreq, Time100ns: s.Time100ns, ObjectTime: s.ObjectTime, ObjectFreq: s.ObjectFreq,
	}}
	if s.Base != nil {
		out.Base = *s.Base
	}
	if s.Multi != nil {
		out.Multi = *s.Multi
	}
	return out
}

// lacks tells what the type needs besides the value and is not there.
func (s *cookSample) lacks(t counter.Type) string {
	switch {
	case s == nil:
		return ""
	case t.NeedsBase() && s.Base == nil:
		return "base"
	case t.IsMulti() && s.Multi == nil:
		return "multi"
	}
	return ""
}

type cookLine struct {
	Type json.RawMessage `json:"type"`
	Prev *cookSample     `json:"prev"`
	Cur  *cookSample     `json:"cur"`
}

type cookResult struct {
	Value  counter.Value  `json:"value"`
	Unit   counter.Unit   `json:"unit"`
	Status counter.Status `json:"status"`
	Error  string         `json:"error,omitempty"`
}

// cookLines answers every line, also one that cannot be read.
func (a *app) cookLines(w *bufio.Writer, opt cookOptions) error {
	policy, ok := wrapPolicies[opt.wrap]
	if !ok {
		return fmt.Errorf("--wrap %q: expected plausible, never or always", opt.wrap)
	}

	opt.Wrap = policy
	a.await("JSON lines")
	in := lineReader{r: bufio.NewReaderSize(a.stdin, maxCookLine)}
	enc := newJSON(w)

	read := 0
	for n := 1; ; n++ {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}

		var result cookResult
		if err == nil && len(line) == 0 {
			continue
		}

		if err == nil {
			result, err = cookOne(line, opt.Options)
		}
		if err != nil {
			a.partial = true
			result = cookResult{Status: counter.InvalidData, Error: fmt.Sprintf("line %d: %v", n, err)}
		} else {
			read++
		}

		if err := enc.Encode(result); err != nil {
			return err
		}
		if in.r.Buffered() == 0 { // answer at once who waits for it
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}

	if in.failed != nil {
		return in.failed
	}
	if a.partial && read == 0 {
		return errors.New("no line could be read; each is a JSON object with type, prev and cur")
	}
	return nil
}

// maxCookLine is the length above which a line is not read.
const maxCookLine = 64 << 10

// lineReader reads lines without blanks around them.
type lineReader struct {
	r      *bufio.Reader
	failed error // of the underlying reader
}

// next returns the next line, io.EOF at the end, and another error for a line
// that is too long, which is passed over.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	long := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.r.ReadSlice('\n')
	}

	if err != nil && err != io.EOF {
		l.failed = err
		return nil, io.EOF
	}

	switch {
	case long:
		return nil, fmt.Errorf("longer than %d bytes", maxCookLine)
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	}
	return bytes.TrimSpace(line), nil
}

func cookOne(line []byte, opt counter.Options) (cookResult, error) {
	var l cookLine
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return cookResult{}, explainJSON(err)
	}
	if dec.More() {
		return cookResult{}, errors.New("more than one JSON value")
	}

	t, err := cookType(l.Type)
	if err != nil {
		return cookResult{}, err
	}
	if l.Cur == nil {
		return cookResult{}, errors.New("cur is missing")
	}

	older := l.Prev
	if t.IsMulti() || t.Samples() < 2 {
		older = nil // only the newer sample's count or base is used
	}

	for _, s := range []*cookSample{l.Cur, older} {
		if what := s.lacks(t); what != "" {
			return cookResult{Unit: t.Unit(), Status: counter.InvalidData, Error: fmt.Sprintf("%v needs %q", t, what)}, nil
		}
	}
	r := counter.Cook(t, l.Prev.sample(), l.Cur.sample(), opt)
	return cookResult{Value: r.Value, Unit: r.Unit, Status: r.Status}, nil
}

// explainJSON says of a value that does not fit what is expected, without the
// names of Go's types.
func explainJSON(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}

	what, want := wrong.Field, "a JSON object"
	if what == "" {
		what = "the line"
	}

	switch wrong.Type.Kind() {
	case reflect.Uint64:
		want = "a whole number of 64 bits without sign"
	case reflect.Int64:
		want = "a whole number of 64 bits"
	}
	return fmt.Errorf("byte %d: %s is %s, expected %s", wrong.Offset, what, wrong.Value, want)
}

// cookType reads a type by name or number.
func cookType(raw json.RawMessage) (counter.Type, error) {
	var name string
	if len(raw) == 0 {
		return 0, errors.New("type is missing")
	}
	if raw[0] != '"' {
		return counter.ParseType(string(raw))
	}
	if err := json.Unmarshal(raw, &name); err != nil {
		return 0, err
	}
	return counter.ParseType(name)
}
