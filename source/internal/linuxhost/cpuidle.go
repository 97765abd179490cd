package linuxhost

import (
	"bytes"
	"fmt"
)

// cpuState is an idle state (kernel documentation, "CPU Idle Time Management").
type cpuState struct {
	time, usage  file
	timeField    fields // 0 for an unknown class
	entriesField fields // in addition to cpuIdleBreaks
}

// maxStates exceeds the kernel's limit (10).
const maxStates = 16

// stateFields are the fields of C1, C2, and C3 and deeper.
var stateFields = [...]struct{ time, entries fields }{
	{cpuC1Time, cpuC1Entries},
	{cpuC2Time, cpuC2Entries},
	{cpuC3Time, cpuC3Entries},
}

// openStates finds the idle states of the processor. If descriptors or memory are short, the next query
// tries again.
func (p *processor) openStates(s *session) {
	p.statesOpened = true
	for i := range maxStates {
		dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpuidle/state%d/", p.number, i)
		text, err := s.readOnce(dir + "name")
		if isShort(err) {
			p.states, p.statesOpened = p.states[:0], false
		}
		if err != nil {
			return
		}
		st := cpuState{time: file{name: dir + "time"}, usage: file{name: dir + "usage"}}
		if class, ok := stateClass(bytes.TrimSpace(text)); ok {
			st.timeField = stateFields[class].time
			st.entriesField = stateFields[class].entries
		}
		p.states = append(p.states, st)
	}
}

// stateClass returns the index in stateFields: 0 for C1, C1E and WFI, 1 for C2, 2 for deeper
// states. Other names, such as POLL, fail.
func stateClass(name []byte) (class int, ok bool) {
	if string(name) == "WFI" {
		return 0, true
	}
	depth, ok := bytes.CutPrefix(name, []byte{'C'})
	n, isNumber := decimal(depth[:len(depth)-len(bytes.TrimLeft(depth, "0123456789"))])
	if !ok || !isNumber || n == 0 {
		return 0, false
	}
	return int(min(n, uint64(len(stateFields)))) - 1, true
}

// readStates reads the idle states. A field is missing if part of it cannot be read.
func (p *processor) readStates(s *session) {
	if !p.statesOpened {
		p.openStates(s)
	}
	p.values.have &^= cpuStateFields
	p.values.failed &^= cpuStateFields

	if !p.statesOpened {
		p.values.failed |= cpuStateFields
		return
	}

	var failed fields
	for i := range p.states {
		st := &p.states[i]
		failed |= p.addState(s, &st.time, st.timeField, perMicrosecond)
		failed |= p.addState(s, &st.usage, st.entriesField|cpuIdleBreaks, 1)
	}
	p.values.have &^= failed
	p.values.failed |= failed
}

// addState adds the number in a file times unit to each field in f. It returns f on failure.
func (p *processor) addState(s *session, from *file, f fields, unit uint64) (failed fields) {
	if f == 0 {
		return 0
	}
	n, err := s.readNumber(from)
	if err != nil {
		return f
	}

	for ; f != 0; f &= f - 1 {
		one := f & -f
		previous := p.values.sum(one & p.values.have)
		p.values.set(one, previous+n*unit)
	}
	return 0
}
