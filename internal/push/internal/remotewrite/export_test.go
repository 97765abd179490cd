package remotewrite

// Plain leaves requests without compression, to measure what the rest costs.
func (e *Encoder) Plain() { e.compress = func(_, src []byte) []byte { return src } }
