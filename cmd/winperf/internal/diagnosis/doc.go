// Package diagnosis finds the common faults of performance counters on a machine.
//
// A [Machine] has everything that the caller read from it: a view of the registry, live or from
// an exported file, the results of trial calls, the files of Linux. [Examine] runs all checks of
// one list over it. It is a pure function: the interfaces that it gets cannot change a machine.
//
// Each [Finding] states the fault, its consequences, the evidence, and the commands that repair it
// with their risk. docs/doctor.md has a section for each code.
package diagnosis
