// Package publish makes a program's counters known to the machine's tools, for
// the price of an atomic addition.
//
// A [Publisher] is made from a schema, the same that the .ini and .h files of a
// Windows provider are made from (package registration). It keeps the objects
// in a file that is mapped into memory; a [Counter] adds to or sets its value in
// place, without a system call, a lock or an allocation. Instances come and go,
// several processes may publish one object, and what a process published goes
// with it, however it ends.
//
// On Linux the source local: shows what is published, at once; a [Reader] is
// how it does that. On Windows a provider DLL delivers it to all that read
// HKEY_PERFORMANCE_DATA. docs/publish.md says where the files are, which accounts may read
// them and what is in them.
package publish

// Choices worth knowing here:
//
// What is published is shown by views, one for each query, over one reader that knows the
// files: so a query merges only what it names, and a program that publishes a thousand
// objects costs nothing in queries that do not ask for them. An account is trusted or not, by
// the owner that the system reports of a file, and never by anything in the file.
//
// Objects that are not shown are part of the damage of a query, as a notice: programs
// report them, but no exit status follows, as any account could cause it.
