package view

import "fmt"

// errCanceled is the error of an answer that needs all samples of a log.
var errCanceled = fmt.Errorf("%w: reading the log was cancelled", ErrRequest)

// canceledText is the damage of a log.
const canceledText = "reading was cancelled: only the samples read until then are shown"

// Cancel ends the reading of a log. Later answers are about the samples read until then. After a log was read
// Cancel changes nothing.
func (v *View) Cancel(id string) error {
	s, err := v.find(id)
	if err != nil {
		return err
	}
	if s.live != nil {
		return fmt.Errorf("%w: the source is no log", ErrRequest)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isReading() {
		s.canceled = true
		s.stop()
	}
	return nil
}

// isReading reports whether samples are read, or expected. The source is locked.
func (s *shown) isReading() bool {
	if s.grows || s.pending != nil || len(s.running) > 0 || s.survey == nil {
		return true
	}
	s.survey.mu.Lock()
	defer s.survey.mu.Unlock()
	return !s.survey.exact
}

func (s *shown) isCanceled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.canceled
}
