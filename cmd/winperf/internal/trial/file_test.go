package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func FuzzReadFile(f *testing.F) {
	f.Add("name: a\ncommands: [{run: [go, version]}]\n")
	f.Add("name: a\nevents: [{name: t, interval: 1s}]\nbindings: [{events: [t], sensors: ['\\System\\Processes']}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := ReadFile("x.yaml", []byte(text))
		if err != nil {
			return
		}
		// What was taken can be made into an experiment's parts.
		if _, _, err := file.bindings(); err != nil {
			t.Error(err)
		}
		for i := range file.Events {
			if len(file.Events[i].kinds()) != 1 {
				t.Errorf("event %+v", file.Events[i])
			}
		}
	})
}

// TestReadFileTogether checks that values that cannot be decoded hide no other error, and that nothing
// is said of names that may be in these values.
func TestReadFileTogether(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"entries", `name: a
interval: 1ns
events:
- {name: tick, intervall: 1s, every: 1ms}
- {name: tock, interval: 1ms}
- {name: many}
bindings:
- {events: [tuck], sensors: [cp], capacity: many, timeout: -1s, policy: wayt}
commands: [{run: ['']}, {run: x, dir: no}]
`, `4:16: unknown key "intervall" (did you mean interval?)
8:45: capacity: expected a whole number, found text "many"
9:31: run: expected a list such as ['x'], found text "x"
2:11: interval 1ns: expected at least 10ms
4:3: event "tick": every 1ms: expected at least 10ms
5:3: event "tock": interval 1ms: expected at least 10ms
6:3: event "many": expected one of interval, lines, processes, instances, above, below and signals
8:30: "cp" is not a path, a sensor name or a list of sensors
8:73: policy "wayt": expected wait, drop_oldest, drop_newest, spill; did you mean "wait"?
8:3: timeout -1s: expected a time above 0
9:12: expected a program`},

		{"unknown key", `name: a
sensor: {cpu: ['\System\Processes']}
events: [{name: tick, processes: a, source: none}]
bindings: [{events: [tock], sensors: [cpu, a/b/c]}]
repetitions: -1
`, `2:1: unknown key "sensor" (did you mean sensors?)
5:14: repetitions -1: expected a number from 0 to 100000`},

		{"sensors", `name: a
sensors: {cpu: 5}
events: [{name: tick, processes: a, source: none}]
bindings: [{events: [tock], sensors: [cpu]}]
`, `2:16: cpu: expected a list such as ['5'], found "5"
3:45: no source has the name "none"
4:22: nothing emits the event "tock"; did you mean "tick"?`},

		{"sources", `name: a
sources: {x: [y]}
events: [{name: tick, processes: a, source: z}]
bindings: [{events: [tick], sensors: [cpu]}]
`, `2:14: x: expected text, found a list
4:39: "cpu" is not a path, a sensor name or a list of sensors`},

		{"no name", "names: x\ncommands: [{run: []}]\n", `1:1: the key name is missing
1:8: names "x": expected pid, name:pid or name
2:12: expected a program`},
	} {
		file, err := ReadFile("x.yaml", []byte(tt.text))
		if file != nil {
			t.Errorf("%s: a file that was not decoded", tt.name)
		}
		if diff := cmp.Diff(tt.want, strings.ReplaceAll(err.Error(), "x.yaml:", "")); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}
}

// program is one that is there, whatever the system: this test.
func program(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestReadFile(t *testing.T) {
	const head = "name: a\nsensors: {cpu: ['\\Processor(*)\\% Processor Time', linux.winperf/System/Processes]}\n"
	const tick = "events: [{name: tick, interval: 1s}]\n"
	dir := filepath.ToSlash(t.TempDir())
	for _, name := range []string{"file", "there.csv", "there.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.jsonl"), []byte("no records"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{head + tick + "bindings: [{events: [tick], sensors: [cpu]}]\n", ""},
		{"name: a\n", "x.yaml:1:1: expected commands to run, or bindings"},
		{head + tick + "bindings: [{events: [tock], sensors: [cpu]}]\n", `x.yaml:4:22: nothing emits the event "tock"; did you mean "tick"?`},
		{head + "events: [{name: in, lines: stdin}]\nbindings: [{events: [any], sensors: [cpu]}]\n", ""},
		{head + tick + "bindings: [{events: [t*], sensors: [cpu], policy: wayt}]\n", `expected wait, drop_oldest, drop_newest, spill; did you mean "wait"?`},
		{head + "events: [{name: a}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "x.yaml:3:10: event \"a\": expected one of interval"},
		{head + "events: [{name: a, interval: 1s, above: 1}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "it has interval and above"},
		{head + "events: [{name: a, below: 1}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "expected the path of a counter"},
		{head + tick + "bindings: [{events: [tick], sensors: [cp]}]\n", `did you mean "cpu"?`},
		{head + tick + "bindings: [{events: [tick], sensors: ['\\x']}]\n", "bad counter path"},
		{"name: a\ncommands: [{run: [no-such-program]}]\n", "x.yaml:2:12: command \"no-such-program\""},
		{"name: a\ncommands: [{run: [go]}, {run: [go]}]\n", "two commands have the name"},
		{head + "deliver: [{file: x, url: y}]\n" + tick + "bindings: [{events: [tick], sensors: [cpu]}]\n", "x.yaml:3:11: expected one of file, url and program"},
		{head + "events: [{name: a, interval: 1s}, {name: A, interval: 1s}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "another event has this name"},
		{"name: ../a\ncommands: [{run: [go]}]\n", `x.yaml:1:7: name "../a": expected a valid name of a directory`},
		{"name: ''\ncommands: [{run: [go]}]\n", "expected a valid name of a directory"},
		{"name: a\ninterval: 1ns\ncommands: [{run: [go]}]\n", "x.yaml:2:11: interval 1ns: expected at least 10ms"},
		{"name: a\nduration: -1s\ncommands: [{run: [go]}]\n", "x.yaml:2:11: duration -1s"},
		{"name: a\nrepetitions: -3\ncommands: [{run: [go]}]\n", "x.yaml:2:14: repetitions -3: expected a number from 0"},
		{"name: a\nrepetitions: 1000000000000\ncommands: [{run: [go]}]\n", "x.yaml:2:14: repetitions"},
		{"name: a\nrepetitions: 100000\nwarmup: 1\ncommands: [{run: [go]}]\n", "x.yaml:2:14: 100001 runs in total"},
		{"name: a\nwarmup: -1\ncommands: [{run: [go]}]\n", "x.yaml:2:9: warmup -1"},
		{"name: a\nqueue: {directory: ''}\ncommands: [{run: [go]}]\n", "x.yaml:2:20: queue: expected a directory"},
		{"name: a\ndeliver: [{url: 'ftp://x'}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: \"ftp://x\" is not an endpoint"},
		{"name: a\ndeliver: [{url: 'http://x', headers: {A: $WINPERF_NOT_SET}}]\ncommands: [{run: [go]}]\n",
			"x.yaml:2:11: headers: environment variable not set: WINPERF_NOT_SET"},
		{"name: a\ndeliver: [{url: 'http://x', format: csv}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: format is for files"},
		{"name: a\ndeliver: [{file: ./records.jsonl}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: ./records.jsonl is already in the results directory"},
		{"name: a\ndeliver: [{file: a.foo}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: "},
		{"name: a\ndeliver: [{program: [no-such-program]}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: exec: \"no-such-program\""},
		{head + "events: [{name: a, interval: 1ms}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "x.yaml:3:10: event \"a\": interval 1ms: expected at least 10ms"},
		{head + "events: [{name: a, processes: a, every: -1s}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "x.yaml:3:10: event \"a\": every -1s"},
		{head + "events: [{name: a, above: 1, path: '\\a\\b', for: -1s}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "x.yaml:3:10: event \"a\": expected for"},
		{head + tick + "bindings: [{events: [tick], sensors: [cpu], capacity: -5}]\n", "x.yaml:4:12: capacity -5"},
		{head + tick + "bindings: [{events: [tick], sensors: [cpu], timeout: -5s}]\n", "x.yaml:4:12: timeout -5s"},
		{head + tick + "bindings: [{events: [], sensors: []}]\n", "x.yaml:4:12: expected events and sensors"},
		{"", "x.yaml:1:1: the file is empty"},
		{"# later\n", "x.yaml:1:1: the file is empty"},
		{"name: a\nduration: 1s\ncommands: [{run: [go]}]\n", "x.yaml:2:11: duration is for experiments without commands"},
		{head + tick + "bindings: [{events: [tick], sensors: [cpu]}]\nrepetitions: 3\nwarmup: 0\norder: in_turn\n",
			"x.yaml:5:14: repetitions is for commands, but there are none\n" +
				"x.yaml:6:9: warmup is for commands, but there are none\nx.yaml:7:8: order is for commands"},

		// Names and patterns of events that nothing emits.
		{head + "bindings: [{events: ['*'], sensors: [cpu]}]\n", `x.yaml:3:22: nothing emits the event "*"`},
		{head + tick + "bindings: [{events: ['tock*'], sensors: [cpu]}]\n", `x.yaml:4:22: nothing emits the event "tock*"`},
		{head + tick + "bindings: [{events: ['T?CK'], sensors: [cpu]}]\n", ""},
		{head + "events: [{name: p, processes: x}]\nbindings: [{events: ['p.*', '*.end'], sensors: [cpu]}]\n", ""},
		{head + "commands: [{name: a, run: [go]}]\nbindings: [{events: ['run.?', 'w*'], sensors: [cpu]}]\n", ""},

		// Bindings have names of their own, also those that are made, and so have files.
		{head + tick + "bindings: [{events: [tick], sensors: [cpu]}, {events: [Tick, t*], sensors: [cpu]}]\n",
			`x.yaml:4:46: two bindings have the name "Tick"`},
		{head + tick + "bindings: [{events: [tick], sensors: [cpu]}, {name: b, events: [tick], sensors: [cpu]}]\n", ""},
		{head + tick + "bindings: [{name: x, events: [tick], sensors: [cpu]}, {name: X, events: [t*], sensors: [cpu]}]\n",
			`x.yaml:4:55: two bindings have the name "X"`},
		{"name: a\nsensors: {none: []}\ncommands: [{run: [go]}]\nbindings: [{events: [run], sensors: [none]}]\n",
			`x.yaml:4:38: the list "none" is empty`},
		{head + "events: [{name: a, instances: '\\System\\Threads'}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n",
			`x.yaml:3:10: event "a": \System\Threads: expected a path with instances`},
		{"name: a\ndeliver: [{file: a.csv}, {file: ./a.csv}]\ncommands: [{run: [go]}]\n",
			"x.yaml:2:26: another delivery already writes ./a.csv"},
		{"name: a\ndeliver: [{file: a.csv}, {name: b, file: a.csv}]\ncommands: [{run: [go]}]\n", "x.yaml:2:26: another delivery already writes"},

		// A list is checked once, where it stands, also one that nothing names.
		{"name: a\nsensors: {cpu: ['\\x']}\ncommands: [{run: [go]}]\n", `x.yaml:2:17: bad counter path`},
		{"name: a\nsensors: {cpu: [cpi]}\ncommands: [{run: [go]}]\n", `x.yaml:2:17: "cpi" is not a path`},
		{"name: a\nsensors: {cpu: [nosuch/System/Processes]}\ncommands: [{run: [go]}]\n", `x.yaml:2:17: no source has the name "nosuch"`},
		{"name: a\nsources: {hots: 'local:'}\nsensors: {cpu: [host/System/Processes]}\ncommands: [{run: [go]}]\n",
			`x.yaml:3:17: no source has the name "host"; did you mean "hots"?`},
		{"name: a\nsensors: {cpu: [local/System/Processes, WIN32.winperf/System/Processes]}\ncommands: [{run: [go]}]\n", ""},

		// Keys that a kind of source does not have, and lines that two sources would read.
		{head + "events: [{name: a, interval: 1s, hysteresis: 3, for: 5s, path: '\\a\\b', every: 3s}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `x.yaml:3:10: event "a": a source with interval has no path, hysteresis, for, every`},
		{head + "events: [{name: a, signals: [INT], aligned: true}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `x.yaml:3:10: event "a": a source with signals has no aligned`},
		{head + "events: [{name: a, lines: stdin, aligned: true}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `x.yaml:3:10: event "a": a source with lines has no aligned`},
		{head + "events: [{name: a, processes: x, source: local, for: 1s}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `x.yaml:3:10: event "a": a source with processes has no for`},
		{head + "events: [{name: a, above: 1, path: '\\a\\b', for: 1s, hysteresis: 2, every: 1s, source: local}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", ""},
		{head + "events: [{name: a, instances: '\\a(*)\\b', every: 1s, source: local}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", ""},
		{head + "events: [{name: a, lines: stdin}, {name: b, lines: stdin}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `x.yaml:3:35: event "b": event "a" already reads stdin`},
		{head + "events: [{name: a, lines: 'unix:DIR/s'}, {name: b, lines: 'unix:DIR/./s'}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `event "b": event "a" already reads unix:DIR/./s`},
		{head + "events: [{name: a, lines: DIR/file}, {name: b, lines: DIR/file}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `event "b": event "a" already reads DIR/file`},
		{head + "events: [{name: a, lines: stdin, signals: [NONESUCH], above: 1, every: 1ms}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `"NONESUCH" is not a signal`},
		{head + "events: [{name: a, lines: stdin, signals: [NONESUCH], above: 1, every: 1ms}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `it has lines and above and signals`},
		{head + "events: [{name: a, lines: stdin, signals: [NONESUCH], above: 1, every: 1ms}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `every 1ms: expected at least 10ms`},
		{"name: a\ndeliver: [{file: x.csv, headers: {A: b}}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: headers are for url"},

		// Places, files and programs.
		{head + "events: [{name: a, lines: DIR/none/pipe}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `x.yaml:3:10: event "a": `},
		{head + "events: [{name: a, lines: DIR/pipe}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "(create a pipe for lines"},
		{head + "events: [{name: a, lines: DIR}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "is a directory, expected a pipe or a file"},
		{head + "events: [{name: a, lines: 'unix:DIR/none/s'}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", `x.yaml:3:10: event "a": `},
		{head + "events: [{name: a, lines: 'unix:DIR/file'}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "exists and is not a socket"},
		{head + "events: [{name: a, lines: 'unix:'}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", "expected unix:PATH"},
		{head + "events: [{name: a, lines: 'unix:DIR/s'}, {name: b, lines: DIR/file}]\nbindings: [{events: ['*'], sensors: [cpu]}]\n", ""},
		{"name: a\ncommands: [{run: [go], dir: DIR/none}]\n", `x.yaml:2:12: command "`},
		{"name: a\ncommands: [{run: [go], dir: DIR/file}]\n", "is not a directory"},
		{"name: a\ncommands: [{run: [./none], dir: DIR}]\n", `x.yaml:2:12: command "./none"`},
		{"name: a\ncommands: [{run: [go], env: {'A=B': c}}]\n", `"A=B" is not a valid name of a variable`},
		{"name: a\nqueue: {directory: DIR/file/q}\ncommands: [{run: [go]}]\n", "x.yaml:2:20: queue: DIR/file/q cannot be created"},
		{"name: a\nqueue: {directory: DIR/new/q}\ncommands: [{run: [go]}]\n", ""},
		{"name: a\ndeliver: [{file: ../x.csv}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: ../x.csv is not in the results directory"},
		{"name: a\ndeliver: [{file: sub/x.csv}]\ncommands: [{run: [go]}]\n", ""},
		{"name: a\ndeliver: [{file: DIR/none/x.csv}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: "},
		{"name: a\ndeliver: [{file: DIR/there.csv}]\ncommands: [{run: [go]}]\n", "there.csv exists"},
		{"name: a\ndeliver: [{file: DIR/there.jsonl}]\ncommands: [{run: [go]}]\n", ""},
		{"name: a\ndeliver: [{file: DIR/mine.jsonl}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: DIR/mine.jsonl does not end with a record"},
		{"name: a\ndeliver: [{file: DIR, format: records}]\ncommands: [{run: [go]}]\n", "x.yaml:2:11: DIR: is a directory"},
		{"name: a\ndeliver: [{file: x.csv}, {name: x.csv, file: y.csv}]\ncommands: [{run: [go]}]\n", `x.yaml:2:26: two deliveries have the name "x.csv"`},
		{"name: a\ndeliver: [{name: results, file: x.csv}]\ncommands: [{run: [go]}]\n", `two deliveries have the name "results"`},
	} {
		places := strings.NewReplacer("DIR", dir, "[go", "["+program(t))
		c.text, c.want = places.Replace(c.text), places.Replace(c.want)
		_, err := ReadFile("x.yaml", []byte(c.text))
		if err == nil && c.want != "" || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s\nerror %v, want %q", c.text, err, c.want)
		}
	}
}

// A csv file has one set of columns: bindings that fill others are warned of, whatever the order in which
// they name the same sensors.
func TestWarnings(t *testing.T) {
	const head = "name: a\nsensors: {m: ['\\System\\Processes', '\\System\\Threads']}\nevents: [{name: a, interval: 1s}]\n"
	for bindings, want := range map[string]string{
		`{events: [a], sensors: [m]}`: "",
		`{events: [a], sensors: [m]}, {name: b, events: [a], sensors: ['\system\Threads', '\System\Processes', m]}`:   "",
		`{events: [a], sensors: [m]}, {name: b, events: [a], sensors: ['\System\Threads']}`:                           "x.csv,y.x",
		`{events: [a], sensors: ['\System\Threads']}, {name: b, events: [a], sensors: ['\System\System Up Time', m]}`: "x.csv,y.x",
	} {
		f, err := ReadFile("x.yaml", []byte(head+"bindings: ["+bindings+"]\ndeliver: [{file: x.csv}, "+
			"{file: y.x, format: tsv}, {file: z.jsonl}, {file: z.json}, {url: 'http://h/'}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, err := range f.Warnings() {
			file, _, _ := strings.Cut(strings.SplitN(err.Error(), ": ", 2)[1], " ")
			got = append(got, file)
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: warned of %q, want %q", bindings, got, want)
		}
	}
}

// run stands for the runs of all commands, in whatever case, as names of events do.
func TestRunOfAll(t *testing.T) {
	for _, word := range []string{"run", "RUN", "Warmup"} {
		f, err := ReadFile("x.yaml", []byte("name: a\ncommands: [{name: c, run: ["+program(t)+"]}]\n"+
			"bindings: [{events: ["+word+"], sensors: ['\\System\\Threads']}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		bindings, _, err := f.bindings()
		if want := []string{word, word + ".*"}; err != nil || !slices.Equal(bindings[0].Events, want) {
			t.Errorf("events %q, want %q, error %v", bindings[0].Events, want, err)
		}
	}
}

func TestTrials(t *testing.T) {
	exe := program(t)
	f, err := ReadFile("x.yaml", []byte("name: a\ncommands: [{run: ["+exe+", version], env: {A: b}}, {name: c, run: ["+exe+"]}]\nwarmup: 2\norder: in_turn\nseed: 9\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := Options{
		Repetitions: 1, Warmups: 2, Order: InTurn, Seed: 9,
		Variants: []Variant{
			{Name: exe + " version", Interval: time.Second, Command: Command{Args: []string{exe, "version"}, Env: map[string]string{"A": "b"}}},
			{Name: "c", Interval: time.Second, Command: Command{Args: []string{exe}}},
		},
	}
	if diff := cmp.Diff(want, f.Trials()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
