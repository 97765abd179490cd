package winperf

// Kinds is kinds, for tests outside of the package.
func (s AnomalySet) Kinds() []AnomalyKind { return s.kinds() }
