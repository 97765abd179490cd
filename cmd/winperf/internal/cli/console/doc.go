// Package console has the program's streams, messages, exit statuses, signals and memory settings, for all
// commands.
package console
