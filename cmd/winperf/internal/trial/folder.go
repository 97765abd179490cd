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

// Files of a results folder.
const (
	FilePlan       = "plan.json"       // Conditions
	FileExperiment = "experiment.yaml" // unchanged
	FileRuns       = "runs.jsonl"      // Results
	FileSamples    = "samples.capture" // raw samples of all measurements
	FileRecords    = "records.jsonl"   // of events
	FileReport     = "report.txt"
)

// Conditions are the data, besides the file, needed to repeat an experiment.
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
	Programs   []string  `json:"programs"` // paths of the variants' programs; "" if not found
	// Session identifies the records of these runs; "" without records. Other records are from runs that
	// were killed.
	Session string `json:"session,omitempty"`
}

// MarshalText returns the name of the order.
func (o Order) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// String returns the name of the order: "blocks" or "in turn".
func (o Order) String() string {
	if o == InTurn {
		return "in_turn"
	}
	return "blocks"
}

// UnmarshalText parses the name of the order.
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

// Folder is the results folder of an experiment.
type Folder struct {
	Path       string
	conditions Conditions
	runs       *os.File
}

// Create creates a results folder, which must not exist or must be empty.
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

func (f *Folder) keepPlan() error {
	text, err := json.MarshalIndent(f.conditions, "", "  ")
	if err != nil {
		return err
	}
	return f.Keep(FilePlan, append(text, '\n'))
}

func (f *Folder) keepSession(session string) error {
	f.conditions.Session = session
	return f.keepPlan()
}

func (f *Folder) file(name string) string { return filepath.Join(f.Path, name) }

// File returns the path of a file in the folder.
func (f *Folder) File(name string) string { return f.file(name) }

// Keep writes a file to the folder.
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

// Discard removes the folder of an experiment that did not begin, except for other files.
func (f *Folder) Discard() error {
	for _, name := range ownFiles {
		if err := os.Remove(f.file(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(f.Path) // it stays if it has other files
	return nil
}

// maxPlan bounds the size of conditions: some hundred bytes for each of maxRuns.
const maxPlan = 64 << 20

// ReadConditions reads the conditions in a results folder.
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

const maxRun = 16 << 20

// ReadRuns reads the runs in a results folder. It skips an incomplete last line.
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

func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err // also for an incomplete line
		}
		if len(line) > maxRun {
			return nil, fmt.Errorf("longer than %d bytes", maxRun)
		}
	}
}
