// Package control lets experiments in a running program be listed, attached, paused,
// changed and ended from outside, by programs of the same user, over a local socket.
//
// A Go program takes part with one call:
//
//	server, err := control.Listen(ctx, control.Options{})
//
// From then on winperf experiment list shows it, and winperf experiment attach binds
// sensors to the events that the program emits (experiment.Event, experiment.Region).
// Programs finds those that listen, Dial connects to one. docs/experiments.md has the
// protocol: lines of JSON in both directions.
package control
