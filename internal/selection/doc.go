// Package selection resolves what is wanted against names: a winperf.Selection, and the
// names of objects, counters and instances that a source, a sample or a log has, give
// what of them is meant. It is the only place that knows the rules, and pure. What
// has objects asks [Part.Wants], what has counters [Name.Is], what has instances
// [Finder].
//
// Parts. A selection has parts that add up: paths, objects by identity, and the classes
// Global and Costly. [Parts] gives them in the order in which readings come.
//
// Names. Objects and counters are found by name in every language that there are
// name tables of, whatever the case of the letters (Unicode simple folding). * and ?
// are wildcards: a pattern stands for what has a matching name in the language that is
// shown or in English ([ShownTables]), and for a source, which does not know what is
// shown, in any ([NewTables]). #230 is a name of title index 230, for patterns only
// where no language has another one.
// What has no tables, such as a text log, is found by the one name that it has. A name
// may stand for several title indices, and then means all of them that are there.
//
// Classes. Global is all objects that are not costly, Costly all that are. Costly objects
// are measured only for who asks for them: a source gives them for their class,
// their identity or a path with their name, and not for a pattern ([AmongOthers]);
// of what a sample holds all the same a pattern may name them.
//
// Identity. An object is found by its GUID where both sides have one, else by its title
// index.
//
// Instances. The whole name, parent/name where there is a parent, is compared with the
// text between the parentheses. Of several instances of one name (svchost) is the first
// and (svchost#2) the third; (svchost#*) and patterns are all. Objects with instances are
// asked for with parentheses, others without; a pattern that matches the empty
// name, (*), is taken for both, as logs of Windows have it.
//
// Machines. A path without machine is about any. A source refuses a path of another
// machine than its own ([CheckMachine]); a log of several machines chooses by it.
//
// Unknown names are no error: they stand for nothing, and who measures tells what it
// is that is not there: the object, the counter or the instance.
package selection
