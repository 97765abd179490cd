package rawline

import "github.com/winperf/winperf/counter"

// CookSample is one raw sample of a line.
type CookSample struct {
	Value      uint64  `json:"value"`
	Base       *uint64 `json:"base,omitempty"`
	Multi      *uint64 `json:"multi,omitempty"`
	PerfTime   int64   `json:"perf_time"`
	PerfFreq   int64   `json:"perf_freq"`
	Time100ns  int64   `json:"time_100ns"`
	ObjectTime int64   `json:"object_time"`
	ObjectFreq int64   `json:"object_freq"`
}

// Sample returns the raw values as a sample.
func (s *CookSample) Sample() *counter.Sample {
	if s == nil {
		return nil
	}
	out := &counter.Sample{Value: s.Value, Clocks: counter.Clocks{
		PerfTime: s.PerfTime, PerfFreq: s.PerfFreq, Time100ns: s.Time100ns,
		ObjectTime: s.ObjectTime, ObjectFreq: s.ObjectFreq,
	}}
	if s.Base != nil {
		out.Base = *s.Base
	}
	if s.Multi != nil {
		out.Multi = *s.Multi
	}
	return out
}

// Lacks returns the name of a missing field that the type needs.
func (s *CookSample) Lacks(t counter.Type) string {
	switch {
	case s == nil:
		return ""
	case t.NeedsBase() && s.Base == nil:
		return "base"
	case t.IsMulti() && s.Multi == nil:
		return "multi"
	}
	return ""
}
