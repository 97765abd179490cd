package input

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/provider/registration"
)

// maxRegistrationFile bounds the files that the provider command reads; typical files have some hundred
// kilobytes.
const maxRegistrationFile = 64 << 20

// ReadRegistrationFile reads a file of bounded size, or a pipe, until ctx ends.
func ReadRegistrationFile(ctx context.Context, file string) ([]byte, error) {
	return call.Once(ctx, func() ([]byte, error) { return readBounded(file) })
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	data, err := io.ReadAll(io.LimitReader(f, maxRegistrationFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxRegistrationFile {
		const form = "%s: %w: longer than %d bytes"
		return nil, fmt.Errorf(form, file, registration.ErrInvalid, maxRegistrationFile)
	}
	return data, nil
}
