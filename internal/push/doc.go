// Package push sends metrics to receivers by OpenTelemetry's protocol over HTTP and by
// Prometheus' remote write. A [Sender] sends Sets to one target and retries each request
// until it is answered. A [Pusher] samples at an interval, keeps the samples on disk until
// they are accepted, and sends them.
//
// # Retries and refusals
//
// A target gets each sample at least once, and the samples of a series in order. An answer
// of 2xx accepts a request, unless it is a page of HTML. No answer, 3xx, 401, 403, 407,
// 408, 425, 429 and 5xx are retried, because the cause may be repaired. The gaps between
// tries double from Gap to MaxGap, with jitter, and are at least the answer's Retry-After
// (an hour at most).
//
// A request that is too large (413) is halved, down to 100 samples; later requests are made
// as small. 400, 409 and 422 may be about one sample: Prometheus refuses a whole request
// for a sample that is too old or out of order. Such a request is divided by time until
// these samples are alone. Samples refused then, or by any other 4xx, are counted, reported
// and dropped. A program that sends a history once can end instead:
// SenderOptions.NeedReceiver.
//
// # Versions of remote write
//
// A target first gets version 2.0. If it answers 415 or otherwise does not support 2.0, all
// samples since the last acknowledgement are sent again as 1.0, as are all later ones.
// Prometheus before 3.0 and VictoriaMetrics answer 2.0 with 204 and store nothing, so the
// answer must have the header X-Prometheus-Remote-Write-Samples-Written, which 2.0
// requires.
package push
