// Package publish makes the counters of a program visible to other programs on the machine. Counting
// takes one atomic addition.
//
// A [Publisher] is made from a schema that declares objects and counters. Package registration makes the
// .ini and .h files of a Windows provider from the same schema. A Publisher keeps the objects in a
// memory-mapped file; a [Counter] changes its value in place, without a system call, a lock or an
// allocation. Instances can be added and removed at any time. Several processes may publish the same
// object. When a process ends in any way, its objects disappear.
//
// On Linux the source "local:" shows published objects immediately, through a [Reader]. On Windows a
// provider DLL supplies them to all readers of HKEY_PERFORMANCE_DATA. docs/publish.md describes the
// files, their directories and the accounts that can read them.
package publish

// Each query has a view over a shared reader of the files. A query merges only the objects that it names:
// a program that publishes a thousand objects does not slow down other queries. Trust in an account
// depends only on the owner of a file that the system reports, never on the file's content.
//
// Objects that are not shown are part of a query's damage, as notices: programs report them, but do not
// set an exit status, because any account could cause them.
