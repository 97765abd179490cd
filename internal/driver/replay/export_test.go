package replay

// ParseSpec is parseSpec, for tests.
var ParseSpec = parseSpec
