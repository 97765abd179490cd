package delivery

// State is the state of a delivery.
type State struct {
	// Waiting is the number of records in the queue. Dropped is the number of records dropped at its
	// limits; for a queue on disk, in all runs.
	Waiting, Dropped uint64
	// Err is the error that blocks Run, or nil.
	Err    error
	Routes []RouteState
}

// RouteState is the state of one route.
type RouteState struct {
	Name string
	// Session and Number identify the last record that the sink took; "" and 0 before.
	Session string
	Number  uint64
	// Delivered is the number of records that the sink took, Refused the number that it refused
	// permanently, Lost the number dropped or damaged before delivery, Failures the number of failed
	// calls.
	Delivered, Refused, Lost, Failures uint64
	// Late is the number of series missing in the sink's output: in csv and tsv, series without a column
	// in the first record; in all files of values, paths that another source had first.
	Late int
	// Refusal is the last reason for refused records.
	Refusal error
	// Err is the error of the last try, or nil.
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
