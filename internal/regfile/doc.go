// Package regfile reads, checks and writes the files that register a provider's counters
// with Windows:
//
//   - the initialization file (.ini) and the header (.h) for lodctr, of a
//     version 1 provider (Microsoft Learn, "Adding Counter Names and
//     Descriptions to the Registry");
//   - the manifest (.man) of a version 2 provider and a header with its symbols
//     (Microsoft Learn, "Performance Counters Schema").
//
// All files are made from a [registration.Declaration]. The faults of a file are a list of
// [Findings], each with line and column; one fault does not hide others.
//
// The package changes no system. A [Steps] lists the steps of an installation and how to
// undo them; the caller runs it.
package regfile

import "github.com/winperf/winperf/internal/regfile/rules"

// Findings are the faults of some files.
type Findings = rules.Findings

// Position is a place in a file.
type Position = rules.Position
