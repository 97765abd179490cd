// Package nametable answers which title index stands for which name of an object or
// counter, which for which help text, and which indices a name has.
//
// Programs ask [Names], which [FromSchema] makes of what a source knows
// (winperf.Source.Schema): the tables of all its languages as one. Names are asked
// for in any of them and shown in the chosen one ([Names.In]), in English where that
// has none, and as "#" and the index where no language has a name.
//
// The way from index to name is a function, the way back is not: one name may have
// several indices, and nothing in a table tells an object's name from a counter's.
// [Names.Lookup] therefore returns all indices of a name; [Names.LookupCounter]
// picks the one that an object really has.
//
// A [Table] holds the names or the help texts of one language. It comes from the
// registry as REG_MULTI_SZ: UTF-16LE strings, each ended by a NUL, in pairs of
// decimal index and text, ended by an empty string (Microsoft Learn, "Retrieving
// Counter Names and Help Text"). [Parse] reads such bytes and [FromMap] makes a
// table of texts. [ReadFile] reads tables from a file, as registry bytes or as lines
// of text. Reading does not fail as a whole: what can be read is served, and what is
// wrong is listed with its place.
//
// Tables and Names never change once made; any number of goroutines may use them.
// The zero Table and the zero Names are empty and useful.
package nametable
