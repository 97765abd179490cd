package experiment

// Tell stores a Change record of something that happened to the experiment from outside,
// such as another sink.
func (e *Experiment) Tell(what string, attrs ...Attr) { e.tell(what, attrs...) }
