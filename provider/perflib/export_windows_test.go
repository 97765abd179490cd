package perflib

// LibraryOf are the functions of a library, for tests.
func LibraryOf(name string) System { return libraryOf(name) }
