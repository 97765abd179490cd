package perfdata

// ErrText is wrapped by the errors of ParseText.
var ErrText = errText
