// Package experiments is the commands run and experiment.
package experiments
