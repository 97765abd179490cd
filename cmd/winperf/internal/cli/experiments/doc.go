// Package experiments implements the commands run and experiment.
package experiments
