package delivery

// State is what became of the records so far.
type State struct {
	// Waiting is how many records are in the queue, and Dropped how many were dropped there
	// because of its bounds, in all runs where it is on disk.
	Waiting, Dropped uint64
	// Err is why Run cannot take records for now, nil where it can.
	Err    error
	Routes []RouteState
}

// RouteState is the state of the way to one sink.
type RouteState struct {
	Name string
	// Session and Number are those of the last record that the sink took; "" and 0 before.
	Session string
	Number  uint64
	// Delivered is how many records the sink took, Refused how many it will never take, Lost
	// how many were dropped or damaged before they came to it; Failures how often it failed.
	Delivered, Refused, Lost, Failures uint64
	// Late is how many series are not in what the sink wrote: in csv and tsv those that came after the first
	// record, which has the columns, and in all files of values those with the path of another source's.
	Late int
	// Refusal is why the sink refused records, the last time.
	Refusal error
	// Err is why the last try failed, nil after one that did not.
	Err error
}

// State returns the state.
func (d *Delivery) State() State {
	q := d.queue.Stats()
	s := State{Waiting: uint64(q.Items), Dropped: q.DroppedBefore + q.Dropped}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Err = d.failing
	for _, r := range d.routes {
		s.Routes = append(s.Routes, r.get())
	}
	return s
}
