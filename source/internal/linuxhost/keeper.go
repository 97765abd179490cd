package linuxhost

import "context"

// keeper keeps processes or threads between samples.
type keeper[T any, E entity[T]] struct {
	begin func(e E, id int) // resets e

	cur  values // of the current entity
	seen []E    // in the current sample
	free []E    // for reuse
}

// entity is a process or a thread. The kernel reuses ids.
type entity[T any] interface {
	*T
	id() int
	// read reads needed fields. The error wraps fs.ErrNotExist if the entity has ended.
	read(s *session, v *values, needed fields) error
	close(s *session)
}

// follow updates live, the entities of the last sample, to ids. Both ascend by rank. It calls show
// for each entity, with values in cur or with an error, until show returns false.
func (k *keeper[T, E]) follow(
	ctx context.Context, s *session, live *[]E, ids []int, rank func(id int) int, needed fields,
	show func(e E, err error) bool,
) error {
	old := *live
	defer func() { // also if the writer panics at its limit
		k.seen = append(k.seen, old...) // keep the rest
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
		e, err := k.sample(s, known, id, needed)
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

// sample reads an entity into cur. known had the id in the last sample, or is nil. sample returns
// nil if the entity has ended, and an entity with an error if it cannot be read now.
func (k *keeper[T, E]) sample(s *session, known E, id int, needed fields) (E, error) {
	if known != nil {
		err := known.read(s, &k.cur, needed)
		if !isMissing(err) {
			return known, err
		}
		k.forget(s, known) // the id may have a new owner
	}

	e := E(new(T))
	if n := len(k.free); n > 0 {
		e, k.free = k.free[n-1], k.free[:n-1]
	}
	k.begin(e, id)
	err := e.read(s, &k.cur, needed)
	if isMissing(err) {
		k.forget(s, e)
		return nil, err
	}
	return e, err
}

// readable is sample, but returns nil on any error.
func (k *keeper[T, E]) readable(s *session, id int, needed fields) E {
	e, err := k.sample(s, nil, id, needed)
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
