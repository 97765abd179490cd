// Package selection resolves a winperf.Selection against the names of objects, counters and
// instances that a source, a sample or a log has. It is the only place with these rules, and pure.
// Use [Part.Wants] for objects, [Name.Is] for counters and [Finder] for instances.
//
// Parts. The parts of a selection add up: paths, objects by identity, and the classes Global and
// Costly. [Parts] returns them in the order of readings.
//
// Names. Objects and counters match their names in every language with a name table, ignoring case
// (Unicode simple folding). * and ? are wildcards: a pattern matches names in the shown language or
// in English ([ShownTables]), and for a source, which does not know the shown language, names in
// any language ([NewTables]). #230 is the name of title index 230, for patterns only if no language
// has another one. Objects without tables, such as in a text log, have one name. A name may have
// several title indices, and then means all of them.
//
// Classes. Global is all objects that are not costly, Costly all costly ones. A source samples
// costly objects only on request by their class, their identity or a path with their name, not by a
// pattern ([AmongOthers]). If a sample contains them anyway, a pattern may match them.
//
// Identity. Objects match by GUID if both sides have one, else by title index.
//
// Instances. The whole name, parent/name if it has a parent, is compared with the text in
// parentheses. Among equal names (svchost) is the first and (svchost#2) the third; (svchost#*) and
// patterns match all. Paths of objects with instances have parentheses, others do not; a pattern
// that matches the empty name, (*), is valid for both, as in logs of Windows.
//
// Machines. A path without machine matches any. A source refuses a path of another machine than its
// own ([CheckMachine]); a log of several machines selects by it.
//
// Unknown names are no error: they match nothing. The measurement reports whether the object, the
// counter or the instance is missing.
package selection
