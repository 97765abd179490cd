// Package v1 is the common part of sources of version 1 performance data. They query a key such as
// HKEY_PERFORMANCE_DATA for values whose names select data ("Global", "2 230", "Counter 009"). The
// key is accessed through the functions in [Keys]. This package builds value names, grows buffers,
// retries temporary errors, reads name tables of all languages and abandons calls that do not
// return; it runs on every system.
//
// The formats are documented in Microsoft Learn, "Using the Registry Functions to Consume Counter
// Data" and "Retrieving Counter Names and Help Text", and in MS-RRP.
package v1

// Design:
//
// A sample is one answer to one value name ("Global", "2 230"), never joined from several, so that
// all its objects have the same clocks. Compile turns a selection of classes and single objects
// into a list of title indices.
//
// A v1 source accesses its machine only through four functions (Keys), so that everything except
// the calls is tested on every system.
//
// If wrong lengths in an object hide the objects after it, or no buffer is large enough for it, the
// query finds it by requesting smaller lists of objects, omits it for a while, and reports it in
// the schema's damage.
