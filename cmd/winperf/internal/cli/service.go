package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/serving"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/winapi"
)

type serviceManager interface {
	// directory returns the working directory of services.
	directory() (string, error)
	// install returns the settings that the system does not support.
	install(winapi.ServiceConfig) (unknown []string, err error)
	start(name string) error
	stop(ctx context.Context, name string) error
	remove(ctx context.Context, name string) error
	query(name string) (winapi.ServiceStatus, error)
	// run runs work as a service; work logs to the system's log.
	run(name string, work func(log eventWriter) winapi.ServiceRun) error
}

type eventWriter func(winapi.EventKind, string) error

var serviceRestarts = []time.Duration{5 * time.Second, 30 * time.Second, time.Minute}

func (p *program) serviceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Run winperf as a Windows service",
		Long: `Service runs winperf serve, or another command that runs until it is stopped, as a Windows
service. The service starts with the system, is restarted 5, 30 and then 60 seconds after
a failure, and logs to the Application log of the event viewer.
"sc control winperf paramchange" reloads the configuration of serve; record and publish
need a stop and a start.

On Linux use systemd with the units dist/winperf.service, dist/winperf-record.service and
dist/winperf-publish@.service.`,
		Example: `  winperf service install --config C:\ProgramData\winperf\winperf.yaml
  winperf service status
  winperf service stop
  winperf service remove`,
		Args: console.OnlySubcommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		DisableFlagsInUseLine: true,
	}
	cmd.AddCommand(
		p.serviceInstallCommand(), p.serviceStartCommand(), p.serviceStopCommand(), p.serviceRemoveCommand(),
		p.serviceStatusCommand(), p.serviceRunCommand(),
	)
	return cmd
}

func addServiceName(cmd *cobra.Command) *string {
	return cmd.Flags().String("name", "winperf", "`NAME` of the service")
}

func (p *program) serviceInstallCommand() *cobra.Command {
	var name *string
	var account, config string
	var noStart bool
	cmd := &cobra.Command{
		Use:   "install [flags] [-- COMMAND [ARG...]]",
		Short: "Install the service and start it",
		Long: `Install creates and starts a service that runs winperf serve, or another command of
winperf. It checks the command and the configuration first. Files named in them need
absolute paths, because services run in the system's directory. publish needs --input, on
the command line or in the configuration, because a service has no standard input.

The service runs as LocalService, which can read performance counters and little else, and
keeps only the privilege to traverse directories. Installing it requires administrator
rights.`,
		Example: `  winperf service install --config C:\ProgramData\winperf\winperf.yaml
  winperf service install --name winperf-record --config C:\ProgramData\winperf\winperf.yaml -- record
  winperf service install --name winperf-shop -- publish --schema D:\shop.json --input D:\shop.txt
  winperf service install --name winperf-log -- record '\Processor(*)\*' -i 15 -o D:\logs\load.capture`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.installService(cmd.Context(), *name, account, config, !noStart, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	name = addServiceName(cmd)
	cmd.Flags().StringVar(&config, "config", "", "configuration `FILE` of serve, record or publish")
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` of the service, instead of LocalService")
	cmd.Flags().BoolVar(&noStart, "no-start", false, "do not start the service; it starts with the system")
	return cmd
}

func (p *program) installService(
	ctx context.Context, name, account, config string, start bool, command []string,
) error {
	manager, err := services()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := manager.directory()
	if err != nil {
		return err
	}
	if command, err = p.serviceWork(ctx, dir, config, command); err != nil {
		return err
	}

	unknown, err := manager.install(winapi.ServiceConfig{
		Name: name, DisplayName: "winperf (" + name + ")",
		Description: "Serves and records performance counters: winperf " + strings.Join(command, " "),
		Program:     program, Args: append([]string{"service", "run", "--name", name, "--"}, command...),
		Account: account, Restarts: serviceRestarts, Privileges: []string{"SeChangeNotifyPrivilege"},
	})
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		p.app.Complain(fmt.Errorf("this system does not support these service settings: %s",
			strings.Join(unknown, ", ")))
	}
	if !start {
		_, err = fmt.Fprintf(p.app.Stdout, "service %s is installed; it starts with the system\n", name)
		return err
	}
	if err := manager.start(name); err != nil {
		return fmt.Errorf("service %s is installed but could not be started: %w", name, err)
	}
	_, err = fmt.Fprintf(p.app.Stdout, "service %s is installed and started\n", name)
	return err
}

// serviceWork returns the command of a service, with an absolute path of the configuration, because services
// start in another directory. It checks the command and the configuration from that directory.
func (p *program) serviceWork(ctx context.Context, dir, config string, command []string) ([]string, error) {
	if len(command) == 0 {
		command = []string{"serve"}
	}
	cmd, _, err := p.rootCommand().Find(command)
	if err != nil {
		return nil, unknownCommand(p.rootCommand(), command)
	}
	hasConfig := cmd.Flags().Lookup("config") != nil
	switch {
	case !hasConfig && config != "":
		return nil, fmt.Errorf("--config is for serve, record and publish, not for %s", command[0])
	case !hasConfig:
		return command, nil
	}

	if config != "" {
		whole, err := filepath.Abs(config)
		if err != nil {
			return nil, err
		}
		command = slices.Insert(slices.Clone(command), 1, "--config", whole)
	}
	status, err := within(dir, func() int {
		check := slices.Insert(slices.Clone(command), 1, "--check")
		return Run(ctx, check, console.NoInput{}, p.app.Stdout, p.app.Stderr)
	})
	if err == nil && status != console.ExitDone {
		err = fmt.Errorf("nothing was installed (the service runs in %s: file names are relative to it)", dir)
	}
	return command, err
}

func within(dir string, do func() int) (status int, err error) {
	here, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	if err := os.Chdir(dir); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Chdir(here)) }()
	return do(), nil
}

func (p *program) serviceStartCommand() *cobra.Command {
	return p.serviceChange("start", "started", "Start the installed service",
		"Start starts the service. Use status to see whether it runs.",
		func(_ context.Context, m serviceManager, name string) error { return m.start(name) })
}

func (p *program) serviceStopCommand() *cobra.Command {
	return p.serviceChange("stop", "stopped", "Stop the service until the next start",
		"Stop stops the service and waits until it has ended. It starts again with the system.",
		func(ctx context.Context, m serviceManager, name string) error { return m.stop(ctx, name) })
}

func (p *program) serviceRemoveCommand() *cobra.Command {
	return p.serviceChange("remove", "removed", "Stop the service and remove it",
		"Remove stops the service, waits until it has ended, and removes it and its entry in the\n"+
			"event log.",
		func(ctx context.Context, m serviceManager, name string) error { return m.remove(ctx, name) })
}

// serviceChange returns a command that changes the service and prints its new state.
func (p *program) serviceChange(use, done, short, long string,
	change func(context.Context, serviceManager, string) error,
) *cobra.Command {
	var name *string
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: "  winperf service " + use,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			manager, err := services()
			if err != nil {
				return err
			}

			if err := change(cmd.Context(), manager, *name); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.app.Stdout, "service %s is %s\n", *name, done)
			return err
		},
	}
	name = addServiceName(cmd)
	return cmd
}

func (p *program) serviceStatusCommand() *cobra.Command {
	var name *string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the state of the service",
		Long: `Status shows the state, process, account and command line of the service.

Exit status: 0 running, 1 no such service, 3 not running.`,
		Example: "  winperf service status",
		Args:    console.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return p.serviceStatus(*name) },
	}
	name = addServiceName(cmd)
	return cmd
}

func (p *program) serviceStatus(name string) error {
	manager, err := services()
	if err != nil {
		return err
	}
	status, err := manager.query(name)
	if err != nil {
		return err
	}

	state := status.State
	switch {
	case status.ProcessID != 0:
		state += fmt.Sprintf(", process %d", status.ProcessID)
	case status.ExitCode != 0:
		state += fmt.Sprintf(", ended with error %d", status.ExitCode)
	}
	p.app.Partial = status.State != "running"
	_, err = fmt.Fprintf(p.app.Stdout, "%s: %s\n  account %s\n  program %s\n", safetext.Line(name),
		state, safetext.Line(status.Account), safetext.Line(status.Program))
	return err
}

func (p *program) serviceRunCommand() *cobra.Command {
	var name *string
	cmd := &cobra.Command{
		Use:    "run -- COMMAND [ARG...]",
		Short:  "Run as the service manager starts the service",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			manager, err := services()
			if err != nil {
				return err
			}
			return manager.run(*name, func(log eventWriter) winapi.ServiceRun { return serviceRun(args, log) })
		},
	}
	name = addServiceName(cmd)
	return cmd
}

// serviceRun runs a command of this program as a service. Each output line becomes a log entry; an error
// is reported to the service manager.
func serviceRun(args []string, log eventWriter) winapi.ServiceRun {
	return func(ctx context.Context, ready func(), reload <-chan struct{}) error {
		out := &eventLines{log: log, kind: winapi.EventInfo}
		messages := &eventLines{log: log, kind: winapi.EventWarning}
		if args[0] != "serve" {
			ready() // the command does not report when it is ready
		}
		host := &serving.Hosted{Ready: ready, Reload: reload}
		status := runHosted(ctx, host, args, console.NoInput{}, out, messages)
		if err := errors.Join(out.flush(), messages.flush()); err != nil {
			return err
		}

		if status == console.ExitFailed {
			err := fmt.Errorf("winperf %s ended with status %d", strings.Join(args, " "), status)
			return errors.Join(err, log(winapi.EventError, err.Error()))
		}
		return nil
	}
}

type eventLines struct {
	log  eventWriter
	kind winapi.EventKind
	mu   sync.Mutex
	rest bytes.Buffer
}

// maxEvent is the longest line of an entry: the event log accepts about 31,000 characters.
const maxEvent = 16 << 10

func (l *eventLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest.Write(p)
	for {
		line := l.rest.Bytes()
		end := bytes.IndexByte(line, '\n')
		if end < 0 && len(line) < maxEvent {
			return len(p), nil
		}
		if end < 0 || end > maxEvent {
			end = maxEvent - 1
		}
		if err := l.entry(string(l.rest.Next(end + 1))); err != nil {
			return 0, err
		}
	}
}

func (l *eventLines) entry(line string) error {
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return nil
	}
	return l.log(l.kind, line)
}

func (l *eventLines) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := l.rest.String()
	l.rest.Reset()
	return l.entry(rest)
}

var _ io.Writer = (*eventLines)(nil)
