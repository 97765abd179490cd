package replay

// Names of the package for its tests.
var ParseSpec = parseSpec

const MaxFile = maxFile
