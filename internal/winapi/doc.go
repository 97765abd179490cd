// Package winapi declares every Windows call and structure that winperf uses,
// each once: nothing else imports golang.org/x/sys/windows.
//
// A call stands as a //sys line, in the form of mkwinsyscall, with the
// wrapper below it. The lines are not generated from, because each library can
// be replaced by another file of the same exports: tests load fakes that are
// built from the project's own C source. A library or a function that is
// missing is an error that names it, never a crash.
//
// Structures, constants and error numbers stand in files for every system, so
// that their sizes and offsets are tested on every system, and against the
// headers of mingw-w64 where that is installed. Calls stand in files that end
// in _windows.go.
package winapi
