// Package nametable maps title indices of objects and counters to names and help texts, and
// names to indices.
//
// [Names] holds the tables of all languages of a source; [FromSchema] makes it from
// winperf.Source.Schema. Names are found in any language and shown in the chosen one
// ([Names.In]), then in English, then as "#" and the index.
//
// A name may have several indices, and a table does not distinguish objects from counters.
// [Names.Lookup] returns all indices of a name; [Names.LookupCounter] selects the one that
// an object has.
//
// A [Table] holds the names or the help texts of one language. The registry stores it as
// REG_MULTI_SZ: UTF-16LE strings, each ended by a NUL, in pairs of decimal index and text,
// ended by an empty string (Microsoft Learn, "Retrieving Counter Names and Help Text").
// [Parse] reads such bytes, [FromMap] makes a table from texts, and [ReadFile] reads
// registry bytes or lines of text. Damaged tables are read as well as possible; each fault
// is listed with its place.
//
// Tables and Names never change once made; any number of goroutines may use them. The zero
// Table and the zero Names are empty and usable.
package nametable
