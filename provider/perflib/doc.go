// Package perflib makes a publishing process a version 2 provider of Windows
// (Microsoft Learn, "Performance Counters", perflib.h), from the same schema: it
// declares the counter sets, creates instances and binds their counters to the
// shared values of package publish, where the system reads them. A change of a
// value stays an atomic addition.
//
// The ids are the ones in the manifest that winperf provider init makes, by which
// lodctr has to have registered the provider.
package perflib
