// Package console is what every command needs of the terminal and the system: the program's streams and
// messages on them, exit statuses, signals, memory.
package console
