package perflib

import (
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// System are the functions that a provider calls, for tests.
type System = system

// StartOn is Start with a system that tests make.
func StartOn(api System, s *registration.Declaration, p *publish.Publisher) (*Provider, error) {
	return start(api, s, p)
}
