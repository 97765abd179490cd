// Package v1 is what sources of version 1 performance data have in common: they
// ask a key such as HKEY_PERFORMANCE_DATA for values, whose names say what is
// wanted ("Global", "2 230", "Counter 009"). What a key is stands behind a few
// functions, [Keys]; everything else is here and runs on every system: value
// names, buffers that grow, retries of errors that pass, name tables of all
// languages, and calls that do not return.
//
// The forms are those of Microsoft Learn, "Using the Registry Functions to
// Consume Counter Data" and "Retrieving Counter Names and Help Text", and of
// MS-RRP.
package v1
