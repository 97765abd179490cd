// Package logs is what commands do with logs besides showing them: samples come in, from one log
// or several merged by time ([Read]), are thinned out on the way ([Thin]), and go out as
// samples of another log ([Writer]), in files that follow one another ([Files]), or as
// rows of statistics ([Gatherer]) that can be compared ([Compare]). It opens no log and
// prints nothing: its callers do.
package logs
