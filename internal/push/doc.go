// Package push sends metrics to where they are kept: by OpenTelemetry's protocol over HTTP, and by
// Prometheus' remote write. A [Sender] sends Sets to one target and tries again until each
// is answered. A [Pusher] measures at an interval, keeps samples on disk until they
// were taken, and sends them.
//
// # What is taken, tried again and passed over
//
// Samples come to a target at least once, and those of a series in their order. An answer of
// 2xx takes a request, unless it is a page of HTML. No answer, 3xx, 401, 403, 407, 408, 425, 429 and 5xx
// are tried again: what is wrong may be mended, and the same request taken then. The gaps between tries
// double from Gap to MaxGap, with jitter, and are never shorter than an answer's Retry-After (an
// hour at most).
//
// A request that is too large (413) is halved, down to 100 samples, and later ones are made as small
// before they are sent. 400, 409 and 422 may be about one sample of many: Prometheus refuses a whole request
// for one that is too old, or that it has a newer one than. Such a request is divided by time until
// those stand alone. What is refused then, or by any other 4xx, is counted, told and passed over.
// Whoever sends a history once wants to end instead where nobody takes it: SenderOptions.NeedReceiver.
//
// # Versions of remote write
//
// A target gets version 2.0 first. If it answers 415, or in any way that shows that it
// does not know the version, everything since the last acknowledgement is sent again as 1.0, and
// so is all that follows. Prometheus before 3.0 and VictoriaMetrics answer 2.0 with 204 and
// store nothing, so the header X-Prometheus-Remote-Write-Samples-Written, which 2.0
// demands of an answer, must be there.
package push
