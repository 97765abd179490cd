package linuxhost

import "context"

// keeper keeps processes, or threads, from one sample to the next.
type keeper[T any, E entity[T]] struct {
	begin func(e E, id int) // makes e one of which nothing is known but its id

	cur  values // of the one being read
	seen []E    // of the sample being taken
	free []E    // forgotten ones, to be used again
}

// entity is a process or a thread. Its id may be given anew when it has ended.
type entity[T any] interface {
	*T
	id() int
	// read reads the wanted figures. It fails when the entity is gone (the error wraps
	// fs.ErrNotExist), or when what identifies it cannot be read.
	read(s *session, v *values, wanted fields) error
	close(s *session)
}

// follow brings live up to date, which are those of the last sample, in the order
// of rank, as ids are. Each is shown with its figures in cur, or with the error that
// they could not be read for, until show returns false.
func (k *keeper[T, E]) follow(
	ctx context.Context, s *session, live *[]E, ids []int, rank func(id int) int, wanted fields,
	show func(e E, err error) bool,
) error {
	old := *live
	defer func() { // also when the writer panics because it has had enough
		k.seen = append(k.seen, old...) // where it was given up the rest lives on as far as is known
		*live = append((*live)[:0], k.seen...)
		clear(k.seen)
		k.seen = k.seen[:0]
	}()

	for i, id := range ids {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for len(old) > 0 && rank(old[0].id()) < rank(id) {
			k.forget(s, old[0])
			old = old[1:]
		}

		var known E
		if len(old) > 0 && old[0].id() == id {
			known, old = old[0], old[1:]
		}
		e, err := k.sample(s, known, id, wanted)
		if e == nil {
			continue
		}

		k.seen = append(k.seen, e)
		if !show(e, err) {
			break
		}
	}

	for _, e := range old {
		k.forget(s, e)
	}
	old = nil
	return nil
}

// sample reads the wanted figures of what has an id into cur. known is what had
// the id in the last sample, or nil. There is none if it has ended. With an
// error there is one that cannot be read now.
func (k *keeper[T, E]) sample(s *session, known E, id int, wanted fields) (E, error) {
	if known != nil {
		err := known.read(s, &k.cur, wanted)
		if !isGone(err) {
			return known, err
		}
		k.forget(s, known) // what was open belonged to one that has ended; another may have its id now
	}

	e := E(new(T))
	if n := len(k.free); n > 0 {
		e, k.free = k.free[n-1], k.free[:n-1]
	}
	k.begin(e, id)
	err := e.read(s, &k.cur, wanted)
	if isGone(err) {
		k.forget(s, e)
		return nil, err
	}
	return e, err
}

// readable is sample for a caller that has no use for what cannot be read.
func (k *keeper[T, E]) readable(s *session, id int, wanted fields) E {
	e, err := k.sample(s, nil, id, wanted)
	if e != nil && err != nil {
		k.forget(s, e)
		return nil
	}
	return e
}

func (k *keeper[T, E]) forget(s *session, e E) {
	e.close(s)
	k.free = append(k.free, e)
}
