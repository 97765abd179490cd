package experiment

// Tell stores a Change record about an event outside the experiment, such as another sink.
func (e *Experiment) Tell(what string, attrs ...Attr) { e.recordChange(what, attrs...) }
