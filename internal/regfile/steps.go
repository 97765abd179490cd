package regfile

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
)

// Services is the key in HKEY_LOCAL_MACHINE with the keys of version 1 providers.
const Services = `SYSTEM\CurrentControlSet\Services`

// englishTable is the key in HKEY_LOCAL_MACHINE with the English names of all counters:
// title index and name by turns (Microsoft Learn, "Retrieving Counter Names and Help
// Text").
const englishTable = `SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\009`

// Publishers is the value of the Performance key that lists the accounts whose published
// objects winperf-provider.dll delivers.
const Publishers = "Publishers"

// Steps is the ordered steps of an installation.
type Steps []Step

// Step is one action. A registry action names a key below HKEY_LOCAL_MACHINE.
type Step struct {
	text string
	run  func(ctx context.Context, sys System) (back undo, err error)
}

// undo reverts a step.
type undo []func() error

// String returns the step in one line.
func (s Step) String() string { return s.text }

// Value is a value of the registry.
type Value struct {
	Type    ValueType
	Strings []string // of REG_MULTI_SZ; one of REG_SZ and REG_EXPAND_SZ
	Number  uint32   // of REG_DWORD
	Data    []byte   // of other types
}

// ValueType is the type of a registry value (winnt.h).
type ValueType uint32

// The types in a provider's keys.
const (
	TypeString       ValueType = 1 // REG_SZ
	TypeExpandString ValueType = 2 // REG_EXPAND_SZ
	TypeDWord        ValueType = 4 // REG_DWORD
	TypeMultiString  ValueType = 7 // REG_MULTI_SZ
)

// String returns the value as the registry editor shows it.
func (v Value) String() string {
	switch {
	case v.Type == TypeDWord:
		return fmt.Sprintf("dword:%d", v.Number)
	case v.Type == TypeMultiString:
		return "multi_sz:" + strings.Join(v.Strings, ",")
	case len(v.Strings) == 1:
		return fmt.Sprintf("%q", v.Strings[0])
	}
	return fmt.Sprintf("%d bytes of type %d", len(v.Data), v.Type)
}

// Install describes an installation. Paths are full ones.
type Install struct {
	// INI is the .ini file of a version 1 provider, with its header in the same directory;
	// Driver is its name.
	INI, Driver string
	// Names are the English names of the objects and counters, by the numbers of the
	// header. If any, the installation checks that they are in the name table.
	Names []string
	// Library is the DLL; Open, Collect and Close are its exports. They default to
	// WinperfOpen, WinperfCollect and WinperfClose of winperf-provider.dll.
	Library              string
	Open, Collect, Close string
	// Export is the parameter of Open, as Linkage\Export; it defaults to Driver.
	Export []string
	// Publishers are the accounts, by names or SIDs, whose published objects
	// winperf-provider.dll delivers together. Without any, each object belongs to the
	// account that published it first, or to an administrator.
	Publishers []string
	// Manifest is the .man file of a version 2 provider, Directory the place of the binary
	// with its texts, and Provider its GUID.
	Manifest, Directory string
	Provider            winperf.GUID
}

// Steps returns the steps of an installation.
func (in Install) Steps() Steps {
	var p Steps
	if in.INI != "" {
		p = in.version1()
	}

	if in.Manifest != "" {
		command := []string{"lodctr", "/M:" + in.Manifest}
		if in.Directory != "" {
			command = append(command, in.Directory)
		}
		p = append(p, runCommand(command, []string{"unlodctr", "/G:" + in.Provider.String()}, ""))
	}
	return p
}

func (in Install) version1() Steps {
	service := Services + `\` + in.Driver
	performance, linkage := service+`\Performance`, service+`\Linkage`
	text := func(name, value string) Step {
		return SetValue(performance, name, Value{Type: TypeString, Strings: []string{value}})
	}
	list := func(key, name string, values []string) Step {
		return SetValue(key, name, Value{Type: TypeMultiString, Strings: values})
	}

	var p Steps
	if in.Open == "" { // winperf-provider.dll
		p = append(p, makePublished())
	}
	p = append(p, CreateKey(performance))
	if len(in.Publishers) > 0 {
		p = append(p, list(performance, Publishers, in.Publishers))
	}
	export := in.Export
	if len(export) == 0 {
		export = []string{in.Driver}
	}

	p = append(p,
		text("Library", in.Library),
		text("Open", cmp.Or(in.Open, "WinperfOpen")),
		text("Collect", cmp.Or(in.Collect, "WinperfCollect")),
		text("Close", cmp.Or(in.Close, "WinperfClose")),
		CreateKey(linkage),
		list(linkage, "Export", export),
		runCommand([]string{"lodctr", in.INI}, []string{"unlodctr", in.Driver}, performance),
		CheckValue(performance, firstCounter),
	)

	// If First Counter existed before, lodctr may have done nothing.
	if len(in.Names) > 0 && in.Names[0] != "" {
		p = append(p, checkNames(performance, in.Names))
	}
	return p
}

// firstCounter is the value of the Performance key in which lodctr stores the first title
// index.
const firstCounter = "First Counter"

// UninstallDriver returns the steps that remove a version 1 provider. Values of other
// programs in its service key are kept.
func UninstallDriver(driver string) Steps {
	service := Services + `\` + driver
	performance, linkage := service+`\Performance`, service+`\Linkage`
	p := Steps{runCommand([]string{"unlodctr", driver}, nil, "")}
	for _, name := range performanceValues {
		p = append(p, DeleteValue(performance, name))
	}
	return append(p, DeleteValue(linkage, "Export"),
		DeleteKey(performance), DeleteKey(linkage), DeleteKey(service))
}

// performanceValues are written by installers, lodctr and Windows to a provider's
// Performance key (Microsoft Learn, "Creating Other Registry Entries").
var performanceValues = []string{
	"Library", "Open", "Collect", "Close", "Open Timeout", "Collect Timeout", "Collect Supports Metadata",
	"First Counter", "Last Counter", "First Help", "Last Help", "Object List", "Library Validation Code",
	"Disable Performance Counters", "Answer Limit", Publishers,
}

// UninstallProvider returns the steps that remove a version 2 provider.
func UninstallProvider(g winperf.GUID) Steps {
	return Steps{runCommand([]string{"unlodctr", "/G:" + g.String()}, nil, "")}
}
