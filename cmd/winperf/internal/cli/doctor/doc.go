// Package doctor has the command doctor, which reads this machine for package diagnosis.
package doctor
