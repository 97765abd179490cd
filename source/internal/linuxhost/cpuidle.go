package linuxhost

import (
	"bytes"
	"fmt"
)

// cpuState is an idle state of a processor (kernel documentation, "CPU Idle
// Time Management").
type cpuState struct {
	time, usage   file
	timeFigure    fields // which figure the time is part of, 0 for a state of no class
	entriesFigure fields // which figure the number of entries is part of, besides cpuIdleBreaks
}

// maxStates is above the number of idle states that the kernel allows (10).
const maxStates = 16

// stateFigures are the figures of C1, C2, and C3 and deeper.
var stateFigures = [...]struct{ time, entries fields }{
	{cpuC1Time, cpuC1Entries},
	{cpuC2Time, cpuC2Entries},
	{cpuC3Time, cpuC3Entries},
}

// openStates finds the processor's idle states.
func (p *processor) openStates(s *session) {
	p.statesOpened = true
	for i := range maxStates {
		dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpuidle/state%d/", p.number, i)
		text, err := s.readOnce(dir + "name")
		if isShort(err) {
			p.states, p.statesOpened = p.states[:0], false // how many there are is not known
		}

		if err != nil {
			return
		}
		st := cpuState{time: file{name: dir + "time"}, usage: file{name: dir + "usage"}}
		if class, ok := stateClass(bytes.TrimSpace(text)); ok {
			st.timeFigure = stateFigures[class].time
			st.entriesFigure = stateFigures[class].entries
		}
		p.states = append(p.states, st)
	}
}

// stateClass returns the position in stateFigures of an idle state: C1, C1E
// and WFI are 0, C2 is 1, what is deeper is 2. Polling is no idle state, and
// other names tell no class.
func stateClass(name []byte) (class int, ok bool) {
	if string(name) == "WFI" {
		return 0, true
	}
	depth, ok := bytes.CutPrefix(name, []byte{'C'})
	n, isNumber := decimal(depth[:len(depth)-len(bytes.TrimLeft(depth, "0123456789"))])
	if !ok || !isNumber || n == 0 {
		return 0, false
	}
	return int(min(n, uint64(len(stateFigures)))) - 1, true
}

// readStates reads times and entries of the processor's idle states. A figure
// of which a part cannot be read is left out.
func (p *processor) readStates(s *session) {
	if !p.statesOpened {
		p.openStates(s)
	}
	p.values.have &^= cpuStateFigures
	p.values.failed &^= cpuStateFigures

	if !p.statesOpened {
		p.values.failed |= cpuStateFigures
		return
	}

	var failed fields
	for i := range p.states {
		st := &p.states[i]
		failed |= p.addState(s, &st.time, st.timeFigure, perMicrosecond)
		failed |= p.addState(s, &st.usage, st.entriesFigure|cpuIdleBreaks, 1)
	}
	p.values.have &^= failed
	p.values.failed |= failed
}

// addState adds the number in a file, times unit, to each of the figures f. It
// returns f if that failed.
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
		sofar := p.values.sum(one & p.values.have)
		p.values.set(one, sofar+n*unit)
	}
	return 0
}
