// Package selection matches a winperf.Selection with the names of objects, counters and
// instances of a source, a sample or a log. It alone implements the rules, and has no side
// effects. [Part.Selects] matches objects, [Name.Is] counters and [Finder] instances.
//
// Parts. A selection is the union of its parts: paths, objects by identity, and the classes
// Global and Costly. [Parts] returns them in the order of readings.
//
// Names. Objects and counters are found by name in every language with name tables,
// ignoring case (Unicode simple folding). * and ? are wildcards. A pattern matches names of
// the shown language and English ([ShownTables]), or of any language in a source, which
// does not know the shown one ([NewTables]). #230 is a name of title index 230; patterns
// match it only if no language has another name. Sources without tables, such as text logs,
// have one name for each object and counter. A name may have several title indices and then
// means all that exist.
//
// Classes. Global means all objects that are not costly, Costly all that are. A source
// samples a costly object for its class, its identity or a path with its name, but not for
// a pattern ([AmongOthers]). If a sample contains it anyway, a pattern may select it.
//
// Identity. Objects are compared by GUID if both have one, else by title index.
//
// Instances. The whole name, parent/name if it has a parent, is compared with the text in
// parentheses. (svchost) is the first of several instances with this name, (svchost#2) the
// third; (svchost#*) and patterns are all. Paths of objects with instances have
// parentheses, others do not; a pattern that matches the empty name, (*), matches both, as
// in Windows' logs.
//
// Machines. A path without machine matches all machines. A source refuses a path of another
// machine ([CheckMachine]); a log of several machines selects by it.
//
// Unknown names are no error: they match nothing, and the measurement reports the missing
// object, counter or instance.
package selection
