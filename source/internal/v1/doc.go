// Package v1 is what sources of version 1 performance data have in common: they
// ask a key such as HKEY_PERFORMANCE_DATA for values, whose names say what is
// wanted ("Global", "2 230", "Counter 009"). A key is read through a few
// functions, [Keys]; everything else is here and runs on every system: value
// names, buffers that grow, retries of errors that pass, name tables of all
// languages, and calls that do not return.
//
// The forms are those of Microsoft Learn, "Using the Registry Functions to
// Consume Counter Data" and "Retrieving Counter Names and Help Text", and of
// MS-RRP.
package v1

// Choices worth knowing here:
//
// A sample is one answer to one value name ("Global", "2 230"), never joined from several:
// only so do all its objects have the same clocks. A selection of classes and single objects
// becomes a list of title indices when it is compiled.
//
// A V1 source sees its machine through four functions (v1.Keys), so that everything but the
// calls themselves is tested on every system.
//
// Where an object's lengths hide the objects behind it, or no buffer is large enough for it,
// the query asks for ever fewer to find it, leaves it out for a while and tells so in the
// schema's damage.
