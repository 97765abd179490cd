// Package experiment binds sensors to events: points and regions of a program,
// intervals, lines that another program writes, processes that begin and end.
// Each event gives a record with the values of its sensors.
package experiment
