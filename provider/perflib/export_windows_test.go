package perflib

// LibraryAPI are the functions of a library, for tests.
func LibraryAPI(name string) API { return libraryAPI(name) }
