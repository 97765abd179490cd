// Package settings reads the configuration file that the services of a machine share. The commands record
// and publish have sections in it, whose keys are their flags. The other keys are for serve.
package settings
