package linuxhost

// thrift is what a session does as the program nears the limit of its file
// descriptors: it reads without keeping anything open.
type thrift struct {
	// frugal keeps nothing open. It ends when the limit is far again.
	frugal  bool
	reserve [reserved]Handle

	// Of the current query.
	squeezed bool  // all was closed
	short    error // the last ErrShort that it did not cure
}

// reserved is how many descriptors are held for the moment in which there are no
// others: as many as it takes to read a file of a thread.
const reserved = 5

// keeps reports whether what was opened may stay open.
func (r *reader) keeps(h Handle) bool {
	return !r.frugal && r.open <= r.limit && (r.highest == 0 || h <= r.highest)
}

// makeRoom closes what is kept where an error tells that too much is open, once
// in a query, and reports whether to try again.
func (r *reader) makeRoom(err error) bool {
	if r.squeezed || !isShort(err) {
		return false
	}
	r.squeezed, r.frugal = true, true
	_ = r.closeAll() // an error to close what was only read has no meaning
	return true
}

// twice reads, and once more with all else closed where there were too few
// descriptors.
func (r *reader) twice(read func() error) error {
	before := r.short
	r.short = nil
	err := read()
	if r.makeRoom(r.short) {
		r.short = nil
		err = read()
	}

	if r.short == nil {
		r.short = before
	}
	return err
}

// judge notes an ErrShort.
func (r *reader) judge(err error) error {
	if isShort(err) {
		r.short = err
	}
	return err
}

// survey looks how many descriptors the program has open: the number of a new one
// tells. From three quarters of what it may open on nothing is kept, so that
// those that open for other sessions find some.
func (r *reader) survey() {
	r.squeezed = false
	r.short = nil
	h, err := r.root.Open(0, "proc")
	if err == nil {
		_ = r.root.Close(h) // nothing was read of it
	}
	was := r.frugal
	r.frugal = isShort(err) || r.highest > 0 && h > r.highest+r.highest/2
	if r.frugal && !was {
		_ = r.closeAll() // an error to close what was only read has no meaning
	}
	r.hold()
}

// hold takes the reserve, as far as there is one to be had.
func (r *reader) hold() {
	for i := range r.reserve {
		if r.reserve[i] != 0 || r.highest == 0 {
			continue
		}
		h, err := r.root.Open(0, "proc")
		if err != nil {
			return // the next query tries again
		}
		r.reserve[i] = h
	}
}

// yield gives up the reserve.
func (r *reader) yield() {
	for i, h := range r.reserve {
		if h != 0 {
			_ = r.root.Close(h) // nothing was read of it
		}
		r.reserve[i] = 0
	}
}
