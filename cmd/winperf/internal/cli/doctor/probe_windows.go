package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/winapi"
)

// probeTime limits the calls of a provider. Windows waits 10 s for Open and for Collect.
const probeTime = 30 * time.Second

// probeAll calls all providers that can be loaded, one after the other.
func probeAll(ctx context.Context, m *diagnosis.Machine) map[string]diagnosis.Probe {
	probes := map[string]diagnosis.Probe{}
	program, err := os.Executable()
	names, listErr := m.Registry.Keys(regfile.Services)
	if err := errors.Join(err, listErr); err != nil {
		unread(m, "calls of providers", err)
		return probes
	}

	for _, name := range names {
		library := text(m.Registry, keyOf(name), "Library")
		if library == "" || ctx.Err() != nil {
			continue
		}
		if processor, err := libraryProcessor(library); err == nil && processor == m.Processor {
			probes[name] = probeApart(ctx, program, name)
		}
	}
	return probes
}

func text(r diagnosis.Registry, key, name string) string {
	t, data, err := r.Value(key, name)
	if err != nil {
		return "" // reported by the checks of the keys
	}
	return strings.Join(regfile.ParseValue(t, data).Strings, "\x00")
}

// probeApart calls a provider in a separate process, which it may end or block.
func probeApart(ctx context.Context, program, name string) (p diagnosis.Probe) {
	timed, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	out, err := exec.CommandContext(timed, program, "doctor", "--probe", name).Output()

	// A DLL can print, so the result is on the last line.
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	parsed := json.Unmarshal([]byte(lines[len(lines)-1]), &p)
	switch {
	case ctx.Err() != nil:
	case timed.Err() != nil:
		p.Ended = fmt.Sprintf("the calls did not return within %v", probeTime)
	case err != nil:
		p.Ended = fmt.Sprintf("the process that called it ended: %v", err)
	case parsed != nil:
		p.Ended = "the process that called it printed no result"
	}
	return p
}

func writeProbe(a *console.App, name string) error {
	r := registry{winapi.NewRegistry(winapi.NewDLL("advapi32.dll"))}
	if name == objectsProbe {
		return writeCosts(a, r)
	}
	p := probe(r, name)
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "\n%s\n", line)
	return err
}

// probe calls a provider once.
func probe(r diagnosis.Registry, name string) (p diagnosis.Probe) {
	value := func(value string) string { return text(r, keyOf(name), value) }
	var e *winapi.Extension
	load := func() error {
		library, err := findLibrary(value("Library"))
		if err != nil {
			return err
		}
		e = winapi.NewForeignExtension(winapi.NewDLL(library), value("Open"), value("Collect"), value("Close"))
		return e.Load()
	}

	var export []string
	if names := text(r, regfile.Services+`\`+name+`\Linkage`, "Export"); names != "" {
		export = strings.Split(names, "\x00")
	}
	if step(&p, "load", load) && step(&p, "Open", func() error { return e.Open(export) }) {
		step(&p, "Collect", func() error { return collect(&p, e) })
		step(&p, "Close", e.Close)
	}
	return p
}

// step adds a call to a probe and reports whether it succeeded.
func step(p *diagnosis.Probe, name string, call func() error) bool {
	begin := time.Now()
	err := call()
	s := diagnosis.Step{Name: name, Time: time.Since(begin)}
	if err != nil {
		s.Error = err.Error()
		s.Denied = errors.Is(err, fs.ErrPermission)
	}
	p.Steps = append(p.Steps, s)
	return err == nil
}

// collect queries with growing buffers and checks the answer.
func collect(p *diagnosis.Probe, e *winapi.Extension) error {
	const least, most = 1 << 16, 64 << 20
	var err error
	for size := least; size <= most; size *= 4 {
		var a winapi.Answer
		if a, err = e.Query("Global", size); errors.Is(err, winapi.ERROR_MORE_DATA) {
			continue
		}
		if err != nil {
			return err
		}

		p.Objects, p.Lies = diagnosis.Answer{
			Data: a.Data, Bytes: a.Bytes, Room: size, Moved: a.Moved, Objects: a.Objects, Overrun: a.Overrun,
		}.Check()
		return nil
	}
	return fmt.Errorf("no buffer up to %d bytes is large enough: %w", most, err)
}
