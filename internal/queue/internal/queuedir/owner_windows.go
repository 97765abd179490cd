package queuedir

import (
	"os"

	"github.com/winperf/winperf/internal/winapi"
)

// makeDirectory makes a directory that only this account and administrators can use.
func makeDirectory(path string) error { return winapi.MakePrivateDirectory(path) }

// foreign returns why other accounts have a say in a directory, "" if they have none.
func foreign(dir *os.File) string { return winapi.Foreign(dir) }
