package summary

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/internal/wire"
)

// publishedSummary is the information about a file of published counters. Its JSON form is a public
// format: fields may only be added.
type publishedSummary struct {
	File    string          `json:"file"`
	Format  string          `json:"format"`
	Size    int64           `json:"size"`
	Driver  string          `json:"driver"`
	Process uint32          `json:"process"`           // the publisher, as stated in the file
	Program string          `json:"program,omitempty"` // name of the process, if known
	Started time.Time       `json:"started"`
	Objects []objectSummary `json:"objects"`

	zone output.ShownZone
	gone bool // the process has ended
}

// publishedFiles returns the published files for a file or directory name; none for a log.
func publishedFiles(name string) (files []string, err error) {
	published := func(name string) bool { return strings.HasSuffix(name, pubfile.Suffix) }
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		if err == nil && published(name) {
			files = append(files, name)
		}
		return files, nil
	}

	entries, err := os.ReadDir(name)
	for _, entry := range entries {
		if published(entry.Name()) {
			files = append(files, filepath.Join(name, entry.Name()))
		}
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s is a directory without published counters", name)
	}
	return files, err
}

func readPublished(name string, zone output.ShownZone) (*publishedSummary, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	s := &publishedSummary{File: name, Format: "published counters", Objects: []objectSummary{}, zone: zone}
	info, err := f.Stat()
	if err == nil {
		s.Size = info.Size()
		err = s.read(f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.findProgram()
	return s, nil
}

func (s *publishedSummary) read(f io.ReaderAt) error {
	head := make([]byte, pubfile.HeaderSize)
	_, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}

	number := func(offset int) uint32 { return binary.LittleEndian.Uint32(head[offset:]) }
	magic := binary.LittleEndian.Uint64(head)
	if err != nil || magic != pubfile.Magic || number(pubfile.HeaderVersion) != pubfile.Version {
		return fmt.Errorf("%w: it is not a file of published counters", winperf.ErrBadData)
	}
	s.Process = number(pubfile.HeaderProcess)
	s.Started = winperf.FromFiletime(int64(binary.LittleEndian.Uint64(head[pubfile.HeaderStarted:])))

	driver, err := readPart(f, number(pubfile.HeaderDriver), number(pubfile.HeaderDriverLen))
	if err != nil {
		return err
	}
	s.Driver = strings.TrimRight(wire.Decode(driver, wire.UTF16LE), "\x00")

	text, err := readPart(f, number(pubfile.HeaderSchema), number(pubfile.HeaderSchemaLen))
	if err != nil {
		return err
	}
	var declared struct {
		Objects []struct {
			Name     string
			Counters []struct{}
		}
	}
	if err := json.Unmarshal(text, &declared); err != nil {
		return fmt.Errorf("%w: its schema: %w", winperf.ErrBadData, err)
	}
	for _, o := range declared.Objects {
		s.Objects = append(s.Objects, objectSummary{Name: o.Name, Counters: len(o.Counters)})
	}
	return nil
}

func readPart(f io.ReaderAt, at, size uint32) ([]byte, error) {
	if size > pubfile.MaxSchema {
		return nil, fmt.Errorf("%w: a part of %d bytes", winperf.ErrBadData, size)
	}
	part := make([]byte, size)
	if _, err := f.ReadAt(part, int64(at)); err != nil {
		return nil, fmt.Errorf("%w: it is truncated: %w", winperf.ErrBadData, err)
	}
	return part, nil
}

func (s *publishedSummary) findProgram() {
	if runtime.GOOS != "linux" {
		return
	}
	name, err := os.ReadFile("/proc/" + strconv.FormatUint(uint64(s.Process), 10) + "/comm")
	s.Program, s.gone = strings.TrimSpace(string(name)), errors.Is(err, os.ErrNotExist)
}

func (s *publishedSummary) title() string { return s.File }

func (s *publishedSummary) rows() [][]string {
	process := strconv.FormatUint(uint64(s.Process), 10)
	switch {
	case s.gone:
		process += ", which has ended"
	case s.Program != "":
		process += " (" + s.Program + ")"
	}
	return [][]string{
		{"format", s.Format},
		{"size", fmt.Sprintf("%d bytes", s.Size)},
		{"driver", s.Driver},
		{"process", process},
		{"started", s.zone.Text(s.Started)},
		append([]string{"objects"}, objectLines(s.Objects)...),
	}
}
