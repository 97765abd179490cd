package experiment

import "time"

// Status is the status of an experiment at one moment.
type Status struct {
	Name, Session string
	State         State
	Attached      time.Time // zero before Attach
	Stored        uint64    // number of stored records
	Dropped       uint64    // events without a deliverable record
	Waiting       int       // records in memory
	Spilled       uint64    // number of the last record in the spool
	SpoolError    error     // last error of the spool, or nil
	OpenRegions   int
	Bindings      []BindingStatus
	Events        []EventSourceInfo
}

// BindingStatus is the status of a binding.
type BindingStatus struct {
	Name     string
	Events   []string // patterns
	Sensors  []string // paths and names
	Policy   Policy
	Capacity int
	Emitted  uint64 // events submitted to it
	Failed   uint64 // records without values
	Dropped  uint64
	Waiting  int // records in memory
	Queued   int // events that wait for their sample
}

// Status returns the current status.
func (e *Experiment) Status() Status {
	s := Status{Name: e.name, Session: e.session, State: e.State(), OpenRegions: e.operands.regions()}
	if s.State != Ready {
		s.Attached = e.attached
	}
	for _, b := range e.bindings {
		s.Bindings = append(s.Bindings, b.status())
	}
	for _, source := range e.sources {
		s.Events = append(s.Events, source.status())
	}
	e.store.status(&s, e.bindings)
	return s
}

func (b *binding) status() BindingStatus {
	return BindingStatus{
		Name: b.opt.Name, Events: b.opt.Events, Sensors: *b.sensors.Load(),
		Policy: b.quota.policy, Capacity: b.quota.capacity,
		Emitted: b.emitted.Load(), Failed: b.failed.Load(), Queued: len(b.queue),
	}
}

func (s *eventSource) status() EventSourceInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.Describe()
	status.Emitted, status.Err, status.Running = s.emitted, s.err, false
	if s.cancel != nil {
		select {
		case <-s.ended:
		default:
			status.Running = true
		}
	}
	return status
}

func (s *store) status(to *Status, bindings []*binding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to.Stored, to.Dropped, to.Waiting = s.number, s.droppedInAll, s.waiting
	to.Spilled, to.SpoolError = s.spooled, s.spillErr
	for i, b := range bindings {
		to.Bindings[i].Dropped, to.Bindings[i].Waiting = b.quota.dropped, b.quota.waiting
	}
}
