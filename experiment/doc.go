// Package experiment measures sensors at events: points and regions of a program, intervals, lines
// that another program writes, processes that begin and end. Each event gives a record with the
// values of its sensors, what it took to measure them, and nothing else.
//
// # A program takes part
//
// The code says where something happens. As long as nobody measures, that costs a nanosecond or
// two:
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
//	records, err := e.Next(ctx, 100) // again and again; io.EOF comes after Detach
//
// While an execution trace of package runtime/trace is taken, it has each event and both ends of each
// region, with the record's id, as messages of the category winperf, in the task of their context. The
// other way round Options.Links puts the names of tasks and spans into the records.
//
// Package functions and [Process] stand for one attach point of the process, a pointer that is nil
// as long as no experiment is attached. A [Program] is one of its own.
//
// # Events and samples
//
// An event is served by a sample that was begun after it. Event returns when that is begun, and
// Region when the sample of its begin is complete, so that the region does not measure itself; the
// record says how long the sample was waited for (Delay) and how long that held up the program
// (Blocked). Each binding is a measurement context of its own and gives every event a sample of its
// own, one after the other. Bindings that wait for samples of one source at the same time share
// them, by an object cache.
//
// The values of a point are computed since the binding's sample before it, those of a region from
// its begin to its end, whatever was sampled in between. An open region keeps the operands of its
// sensors and not samples; instances are matched by identity, so that a process which takes
// another's name or place is not taken for it. A process that began within a region counts from 0:
// it has a difference, and the rate over the whole region, unless its object was missing at the begin or
// NeedPrevious is set in Binding.Cook.
//
// In fast loops two samples may be less than 10 ms apart ([measure.LeastInterval]). Rates and percentages
// have no value then, and the status is [counter.TooClose]. Differences of regions are there all the same,
// except those of inverse timers; an event for every so many rounds has rates, too. [counter.Options.Least]
// in Binding.Cook sets another limit.
//
// # Sources of events
//
// Beside code there are [Interval], [Lines], [Instances], [Processes], [Threshold], [Signals] and
// [Child]; others implement [EventSource].
//
// # Records
//
// Records are numbered in the order in which they are stored, and wait in bounded memory until
// delivery takes them with Next. Where there is no room the binding's [Policy] decides: to wait, to
// drop, to give them to a [Spool]. The next record says how many were dropped; the numbers of
// those that had one are missing. Whatever changes the experiment is a record, too.
package experiment
