package trial

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/winperf/winperf"
)

// The files of a results folder.
const (
	FilePlan       = "plan.json"       // Conditions
	FileExperiment = "experiment.yaml" // as it was given
	FileRuns       = "runs.jsonl"      // a Result each
	FileSamples    = "samples.capture" // raw samples of all that was measured
	FileRecords    = "records.jsonl"   // of events
	FileReport     = "report.txt"
)

// Conditions are what must be known to repeat an experiment, besides its file.
type Conditions struct {
	Program    string    `json:"program"` // version of winperf
	System     string    `json:"system"`
	Machine    string    `json:"machine"`
	Processors int       `json:"processors"`
	Began      time.Time `json:"began"`
	Args       []string  `json:"args"` // of winperf
	Dir        string    `json:"dir"`
	Order      Order     `json:"order"`
	Seed       uint64    `json:"seed"`
	Plan       []Step    `json:"plan"`
	Variants   []string  `json:"variants"`
	Programs   []string  `json:"programs"` // of the variants, where they were found; "" for one that was not
	// Session is that of the records of these runs; "" where none are made. Others are of runs that were killed.
	Session string `json:"session,omitempty"`
}

// MarshalText writes the order's word.
func (o Order) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// String returns the order's word: "blocks" or "in turn".
func (o Order) String() string {
	if o == InTurn {
		return "in_turn"
	}
	return "blocks"
}

// UnmarshalText reads the order's word.
func (o *Order) UnmarshalText(text []byte) error {
	switch string(text) {
	case "blocks":
		*o = Blocks
	case "in_turn":
		*o = InTurn
	default:
		return fmt.Errorf("order %q: expected blocks or in_turn", text)
	}
	return nil
}

// Folder is where the results of an experiment go.
type Folder struct {
	Path       string
	conditions Conditions
	runs       *os.File
}

// Create makes a results folder, which must not be there yet or be empty.
func Create(path string, c Conditions) (*Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	there, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	if len(there) > 0 {
		return nil, notEmpty(path)
	}

	f := &Folder{Path: path, conditions: c}
	if err := f.keepPlan(); err != nil {
		return nil, err
	}
	f.runs, err = os.OpenFile(f.file(FileRuns), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	return f, err
}

// keepPlan writes the conditions.
func (f *Folder) keepPlan() error {
	text, err := json.MarshalIndent(f.conditions, "", "  ")
	if err != nil {
		return err
	}
	return f.Keep(FilePlan, append(text, '\n'))
}

// keepSession adds the session of the records to the conditions.
func (f *Folder) keepSession(session string) error {
	f.conditions.Session = session
	return f.keepPlan()
}

func (f *Folder) file(name string) string { return filepath.Join(f.Path, name) }

// File is the path of a file in the folder.
func (f *Folder) File(name string) string { return f.file(name) }

// Keep writes a file into the folder.
func (f *Folder) Keep(name string, text []byte) error { return os.WriteFile(f.file(name), text, 0o666) }

// Add adds the result of a run.
func (f *Folder) Add(r *Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = f.runs.Write(append(line, '\n'))
	return err
}

// Close completes the folder.
func (f *Folder) Close() error { return f.runs.Close() }

// Discard removes the folder of an experiment that did not begin, but for what is not its own.
func (f *Folder) Discard() error {
	for _, name := range ownFiles {
		if err := os.Remove(f.file(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(f.Path) // it stays where it holds something else
	return nil
}

// maxPlan bounds what is read of conditions: some hundred bytes for each of maxRuns.
const maxPlan = 64 << 20

// ReadConditions reads the plan of a results folder.
func ReadConditions(path string) (c Conditions, err error) {
	name := filepath.Join(path, FilePlan)
	in, err := os.Open(name)
	if err != nil {
		return c, err
	}
	defer in.Close()
	if err := json.NewDecoder(io.LimitReader(in, maxPlan)).Decode(&c); err != nil {
		return c, &winperf.DataError{Source: name, Offset: -1, Msg: "expected a plan as JSON: " + err.Error()}
	}
	return c, nil
}

// maxRun bounds a line of runs: one with some thousand processes.
const maxRun = 16 << 20

// ReadRuns reads the runs of a results folder. What a run that was interrupted left behind as
// half a line is passed over.
func ReadRuns(path string) ([]*Result, error) {
	name := filepath.Join(path, FileRuns)
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()

	var all []*Result
	lines := bufio.NewReaderSize(io.LimitReader(in, 1<<30), 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, &winperf.DataError{Source: name, Line: n, Msg: err.Error()}
		}
		r := &Result{}
		if err := json.Unmarshal(line, r); err != nil {
			return nil, &winperf.DataError{Source: name, Line: n, Msg: "expected a run as JSON: " + err.Error()}
		}
		all = append(all, r)
	}
}

// readLine reads a whole line.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err // also of half a line
		}
		if len(line) > maxRun {
			return nil, fmt.Errorf("longer than %d bytes", maxRun)
		}
	}
}
