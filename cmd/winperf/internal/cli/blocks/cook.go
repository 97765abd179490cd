package blocks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/rawline"
	"github.com/winperf/winperf/counter"
)

const cookHelp = `Cook computes displayable values from raw samples. It reads a JSON object a line from FILE
or standard input, and writes one for each:

  in   {"type": name or number,
        "prev": {"value":…, "base":…, "multi":…, "perf_time":…, "perf_freq":…,
                 "time_100ns":…, "object_time":…, "object_freq":…},
        "cur": {…}}
  out  {"value": number or null, "unit":…, "status":…, "error":…}

value and base are the raw values of the counter and of its base, multi the second value of
a multi-counter; perf_time, time_100ns and object_time are the clocks of the sample and of
its object, perf_freq and object_freq their ticks per second. --wrap plausible treats a
4-byte value that decreased as wrapped if this means growth by less than half its range.

prev is optional if one sample is enough; fields that the type does not use are optional.
winperf convert --raw -o jsonl writes such lines; the output repeats their time and path.
error is present only if the line had an error. With TYPE, a name or number, cook shows
the properties of that counter type; with --list, of all types.

Exit status: 0 done, 1 nothing could be read, 3 a line could not be read.`

// CookCommand returns the command cook.
func CookCommand(a *console.App) *cobra.Command {
	var opt cookOptions
	cmd := &cobra.Command{
		Use:   "cook [FILE|TYPE...]",
		Short: "Compute displayable values from raw samples",
		Long:  cookHelp,
		Example: `  echo '{"type":"PERF_RAW_FRACTION","cur":{"value":20,"base":50}}' | winperf cook
  winperf cook samples.jsonl > values.jsonl
  winperf convert load.blg --raw -o jsonl | winperf cook
  winperf cook --list
  winperf cook PERF_100NSEC_TIMER_INV 0x20470500`,
		RunE: func(cmd *cobra.Command, args []string) error {
			w := bufio.NewWriter(a.Stdout)
			switch {
			case opt.list && len(args) > 0:
				return errors.New("--list shows all types: omit TYPE")
			case opt.list:
				return errors.Join(listTypes(w), w.Flush())
			}

			file, err := cookFile(args)
			if err == nil && file == "" && len(args) > 0 {
				return errors.Join(describeTypes(w, args), w.Flush())
			}
			if err == nil {
				err = cookLines(a, w, file, opt)
			}
			return errors.Join(err, w.Flush())
		},
		ValidArgsFunction: input.CompleteType,
	}
	opt.add(cmd)
	return cmd
}

// cookFile returns the argument that is a file rather than a type; "-" is standard input. A file with
// other arguments is an error.
func cookFile(args []string) (file string, err error) {
	if len(args) == 0 {
		return "-", nil
	}
	for _, arg := range args {
		if _, err := counter.ParseType(arg); err == nil {
			continue
		}
		info, err := os.Stat(arg)
		switch there := arg == "-" || err == nil && !info.IsDir(); {
		case there && len(args) > 1:
			return "", fmt.Errorf("%s is a file: cook either reads one file or shows types", arg)
		case there:
			return arg, nil
		}
	}
	return "", nil
}

type cookOptions struct {
	list bool
	wrap string
	counter.Options
}

func (o *cookOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "show all types with unit, operands and formula")
	const wrap = "treat a decreased 4-byte value as wrapped, `WHEN`: plausible, never or always"
	f.StringVar(&o.wrap, "wrap", "plausible", wrap)
	f.BoolVar(&o.Cap100, "cap100", false, "show percentages above 100 as 100, as PDH does")
	f.BoolVar(&o.Clamp, "clamp", false, "show small negative results of inverse timers as 0")
	policies := slices.Sorted(maps.Keys(wrapPolicies))
	console.Complete(cmd, "wrap", cobra.FixedCompletions(policies, cobra.ShellCompDirectiveNoFileComp))
}

var wrapPolicies = map[string]counter.WrapPolicy{
	"plausible": counter.WrapPlausible,
	"never":     counter.WrapNever,
	"always":    counter.WrapAlways,
}

type cookLine struct {
	cookedOf
	Value, Text, Unit, Age, Anomalies json.RawMessage
	Object, Parent, Instance, Counter json.RawMessage
	PID, TID, Start                   json.RawMessage
	Status                            string

	Type json.RawMessage     `json:"type"`
	Prev *rawline.CookSample `json:"prev"`
	Cur  *rawline.CookSample `json:"cur"`
}

type cookedOf struct {
	Time string `json:"time,omitempty"`
	Path string `json:"path,omitempty"`
}

type cookResult struct {
	cookedOf
	Value  counter.Value  `json:"value"`
	Unit   counter.Unit   `json:"unit"`
	Status counter.Status `json:"status"`
	Error  string         `json:"error,omitempty"`

	unread bool // the line could not be read
}

// cookLines writes a result for every line of a file, even if it cannot be read.
func cookLines(a *console.App, w *bufio.Writer, file string, opt cookOptions) error {
	policy, ok := wrapPolicies[opt.wrap]
	if !ok {
		return fmt.Errorf("--wrap %q: expected plausible, never or always", opt.wrap)
	}
	opt.Wrap = policy

	r, err := a.OpenInput(file, "JSON lines")
	if err != nil {
		return err
	}
	defer r.Close()
	in := console.NewLineReader(r)
	enc := output.NewJSON(w)

	read := 0
	for n := 1; ; n++ {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}

		result := cookRead(line, err, n, opt.Options)
		if result.unread {
			a.Partial = true
		} else {
			read++
		}

		err = enc.Encode(result)
		if err == nil && in.Buffer.Buffered() == 0 { // flush at once, a program may wait for the result
			err = w.Flush()
		}
		if err != nil {
			return err
		}
	}

	if in.Failed == nil && read == 0 {
		what := "the input is empty"
		if a.Partial {
			what = "no line could be read"
		}
		return errors.New(what + "; expected JSON objects with type, prev and cur," +
			" as winperf convert LOG --raw -o jsonl writes them")
	}
	return in.Failed
}

// cookRead returns the result for line n; err is the error of reading it.
func cookRead(line []byte, err error, n int, opt counter.Options) (result cookResult) {
	if err == nil {
		result, err = cookOne(line, opt)
	}
	if err != nil {
		text := fmt.Sprintf("line %d: %v", n, err)
		result = cookResult{Status: counter.InvalidData, Error: text, unread: true}
	}
	return result
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

	if status, known := counter.ParseStatus(l.Status); l.Cur == nil && known && status != counter.OK {
		return cookResult{cookedOf: l.cookedOf, Status: status}, nil // the line has no raw value
	}
	if l.Path != "" && l.Type == nil && l.Cur == nil {
		return cookResult{}, errors.New("it has a displayable value, not a raw one; " +
			"winperf convert --raw -o jsonl writes raw values")
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
		older = nil // only the count or base of the newer sample is used
	}

	for _, s := range []*rawline.CookSample{l.Cur, older} {
		if what := s.Lacks(t); what != "" {
			return cookResult{
				cookedOf: l.cookedOf, Unit: t.Unit(), Status: counter.InvalidData,
				Error: fmt.Sprintf("%v needs %q", t, what),
			}, nil
		}
	}
	r := counter.Cook(t, l.Prev.Sample(), l.Cur.Sample(), opt)
	return cookResult{cookedOf: l.cookedOf, Value: r.Value, Unit: r.Unit, Status: r.Status}, nil
}

// explainJSON describes a JSON error without names of Go types.
func explainJSON(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("byte %d: %w, expected a JSON object", syntax.Offset, err)
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object is incomplete")
	case !ok:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}

	what, want := wrong.Field, "a JSON object"
	if what == "" {
		what = "the line"
	}

	switch wrong.Type.Kind() {
	case reflect.Uint64:
		want = "an unsigned whole number of 64 bits"
	case reflect.Int64:
		want = "a whole number of 64 bits"
	}
	return fmt.Errorf("byte %d: %s is %s, expected %s", wrong.Offset, what, wrong.Value, want)
}

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
