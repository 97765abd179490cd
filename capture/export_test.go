package capture

// NextRaw is next, for tests outside of the package.
var NextRaw = next
