// Package benchref tests winperf with receivers of other projects, and compares its encoders with
// theirs. It is a separate module, so that users of winperf do not get its dependencies.
package benchref
