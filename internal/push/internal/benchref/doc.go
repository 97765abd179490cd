// Package benchref sends to the receivers that others wrote, and measures beside their encoders. It
// is a module of its own, so that users of winperf do not inherit what it needs.
package benchref
