// Package regfile reads, checks and writes the files by which a provider makes its counters known to Windows:
//
//   - the initialization file (.ini) and the header (.h) that lodctr reads for a
//     version 1 provider (Microsoft Learn, "Adding Counter Names and
//     Descriptions to the Registry");
//   - the manifest (.man) of a version 2 provider and a header with the names in
//     it (Microsoft Learn, "Performance Counters Schema").
//
// A [registration.Declaration] is the one description that all of them are made from. What is wrong
// with a file is a list of [Findings], each with line and column; a fault costs
// itself and hides no other.
//
// The package touches no system: it takes bytes and gives bytes. A [Plan] says
// what an installation is going to do, step by step and with what undoes it;
// the caller carries it out.
package regfile

import "github.com/winperf/winperf/internal/regfile/rules"

// Findings are what is wrong with some files.
type Findings = rules.Findings

// Position is a place in a file.
type Position = rules.Position
