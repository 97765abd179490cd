// Package experiment measures sensors at events: points and regions of a program, intervals, lines that
// another program writes, processes that begin and end. Each event makes a record with the values of its
// sensors and the cost of the measurement.
//
// # Events in a program
//
// Code marks events. Without an experiment a call takes one or two nanoseconds:
//
//	ctx, region := experiment.Region(ctx, "request", slog.String("path", path))
//	defer region.End()
//	...
//	experiment.Event(ctx, "cache miss")
//
// An experiment binds names of events to sensors, and is attached to the process:
//
//	e, err := experiment.New(experiment.Options{
//		Sources:  []sensor.Origin{{Source: src}},
//		Bindings: []experiment.Binding{{Events: []string{"request"}, Paths: paths}},
//	})
//	...
//	err = e.Attach(ctx)
//	...
//	records, err := e.Next(ctx, 100) // repeat until io.EOF, after Detach
//
// An execution trace of package runtime/trace has a message for each event and for the begin and end of
// each region. The message has the category winperf, the task of the context, and EventInfo.ID.
// Options.Links adds the names of tasks and spans to records.
//
// The functions Event and Region serve all experiments of the process; see [Process]. For separate events,
// make a [Program].
//
// # Events and samples
//
// The sample of an event always begins after the event. Event returns when the sample has begun. Region
// returns when the sample of its begin is complete, so that the region does not measure itself. The
// record has the time until the sample began (Delay) and the time that the program was blocked (Blocked).
// Each binding gets one sample for every event, one event after the other. Bindings that wait for samples
// of one source at the same time share them, by an object cache.
//
// The values of a point are computed since the binding's previous sample, the values of a region from its
// begin to its end. An open region keeps the operands of its sensors, not samples. Instances are matched
// by identity: a process that takes another's name or position is not confused with it. If a process began
// within a region, its counters start from 0. They have a difference, and also a rate over the whole
// region, except if the object was missing at the begin or NeedPrevious is set in Binding.Cook.
//
// Rates and percentages need two samples at least 10 ms apart ([measure.LeastInterval]); otherwise the
// status is [counter.TooClose]. In fast loops, emit an event for every n rounds, or use the differences
// of regions, which need no minimum, except for inverse timers. [counter.Options.Least] in Binding.Cook
// sets another limit.
//
// # Sources of events
//
// [Interval], [Lines], [LineServer], [Instances], [Processes], [Threshold], [Signals] and [Child] emit
// events without code in the program. Other types can implement [EventSource].
//
// # Records
//
// Records are numbered in the order in which they are stored. They wait in bounded memory until Next
// returns them. When the memory is full, the binding's [Policy] decides whether to wait, to drop records,
// or to move them to a [Spool]. Record.Dropped counts the records dropped before a record. Each change of
// the experiment is a record, too.
package experiment
