// Package nametable reads and builds the name tables of performance counters:
// which title index stands for which name, and which for which help text.
//
// A table comes from the registry as REG_MULTI_SZ: UTF-16LE strings, each ended
// by a NUL, in pairs of decimal index and text, ended by an empty string
// (Microsoft Learn, "Retrieving Counter Names and Help Text"). [Parse] reads
// such bytes into a [Table]. It never fails as a whole: what can be read is
// served, and what is wrong is listed with its place.
//
// The way from index to text is a function, the way back is not: one name may
// have several indices, and nothing in a table tells an object's name from a
// counter's. [Table.Lookup] therefore returns all indices of a text;
// [Names.LookupCounter] picks the one that an object really has.
//
// [Names] joins the tables of several languages: names are asked for in any of
// them and shown in the chosen one, in English where that has none, and as
// "#" and the index where no language has a name.
//
// [ReadFile] reads tables from a file, as registry bytes or as lines of text.
//
// Tables and Names never change once made; any number of goroutines may use
// them. The zero Table and the zero Names are empty and useful.
package nametable
