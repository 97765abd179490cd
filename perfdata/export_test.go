package perfdata

// NumChecks is how many checks there are.
const NumChecks = Check(len(rules))
