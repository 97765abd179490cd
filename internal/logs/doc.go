// Package logs processes logs for commands: it reads samples of one log or several merged by time
// ([Read]), reduces them ([Thin]), writes them to another log ([Writer]) or a sequence of files
// ([Files]), and makes statistics ([Gatherer]) for comparisons ([Compare]). It opens no logs and
// prints nothing.
package logs
