// Package perflib registers a publishing process as a version 2 provider of Windows (Microsoft Learn,
// "Performance Counters", perflib.h), from the same schema. It declares the counter sets, creates
// instances, and binds their counters to the shared values of package publish, which the system reads
// directly. Changing a value remains an atomic addition.
//
// The ids are in the manifest that winperf provider init writes. The provider must be registered
// with it by lodctr.
package perflib
