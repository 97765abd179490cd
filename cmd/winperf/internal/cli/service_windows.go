package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/winperf/winperf/internal/winapi"
)

func services() (serviceManager, error) { return windowsServices{}, nil }

type windowsServices struct{}

func (windowsServices) directory() (string, error) { return winapi.ServiceDirectory() }

func (windowsServices) install(c winapi.ServiceConfig) ([]string, error) {
	return winapi.InstallService(c)
}

func (windowsServices) start(name string) error { return winapi.StartService(name) }

func (windowsServices) stop(ctx context.Context, name string) error {
	return winapi.StopService(ctx, name)
}

func (windowsServices) remove(ctx context.Context, name string) error {
	return winapi.RemoveService(ctx, name)
}

func (windowsServices) query(name string) (winapi.ServiceStatus, error) {
	return winapi.QueryService(name)
}

func (windowsServices) run(name string, work func(log eventWriter) winapi.ServiceRun) error {
	log, err := winapi.OpenEventLog(name)
	if err != nil {
		return err
	}
	defer log.Close()
	err = winapi.RunService(name, work(log.Write))
	if errors.Is(err, winapi.ErrNoService) {
		return fmt.Errorf("service run: %w; run the command alone to try it", err)
	}
	return err
}
