package verify

import "github.com/winperf/winperf/internal/winapi"

func elevated() bool { return winapi.Elevated() }

// administrators gives all rights to SYSTEM and the administrators, who own the directory.
const administrators = "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"

// makeDirectory makes a directory that only administrators can write, or checks the existing one: lodctr
// reads its files with all rights.
func makeDirectory(dir string) error {
	if err := winapi.MakeDirectory(dir, administrators); err != nil {
		return err
	}
	return winapi.CheckDirectory(dir)
}
