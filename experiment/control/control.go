// Package control lets experiments in a running program be listed, attached, paused,
// changed and ended from outside, by programs of the same user, over a local socket.
//
// A Go program takes part with one call:
//
//	server, err := control.Listen(ctx, control.Options{})
//
// From then on winperf experiment list shows it, and winperf experiment attach binds
// sensors to the events that the program emits (experiment.Event, experiment.Region).
// docs/experiments.md has the protocol: lines of JSON in both directions.
package control

import (
	"context"
	"time"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/control"
)

// Options for Listen. The zero Options let this user attach experiments to the events of the
// process, with the counters of this machine.
type Options struct {
	// Name is the name of the program; "" is the name of its file.
	Name string
	// Program is the origin of events of code; nil is experiment.Process.
	Program *experiment.Program
	// Sources are the sources that experiments can measure; nil is this machine, which is opened
	// when it is needed for the first time.
	Sources []sensor.Origin
	// Dir is the directory of the socket; "" is the directory in which winperf experiment looks for
	// programs. It is made if it is missing; no other user may write to it.
	Dir string
	// Users are the ids of other users who may connect, if Dir lets them. They may do everything but
	// name sinks, which would act with the rights of this program. On Windows the rights of Dir
	// decide, and Users must be empty.
	Users []int
	// Clients is the number of clients that may be connected at a time; 0 means 16.
	Clients int
	// Spill is where records of experiments with the policy "spill" are written that find no room in
	// memory; nil refuses that policy. delivery.Recover delivers the records that a killed run left.
	Spill *delivery.Disk
	// Grace is how long records may be on their way when an experiment ends; 0 means 5 s.
	Grace time.Duration
}

// Server is a program that experiments can be attached to.
type Server struct{ server *control.Server }

// Listen lets experiments be attached to this program, until ctx ends or Close is called.
// Attached experiments end then, too. The error wraps os.ErrExist where the program listens
// already.
func Listen(ctx context.Context, opt Options) (*Server, error) {
	server, err := control.Listen(ctx, control.Options(opt))
	if err != nil {
		return nil, err
	}
	return &Server{server}, nil
}

// Path returns the path of the socket.
func (s *Server) Path() string { return s.server.Path() }

// Close ends all attached experiments, waits until their records are delivered, for Grace at
// most, and stops listening. Closing again does nothing.
func (s *Server) Close() error { return s.server.Close() }
