package registration

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf"
)

// Services is the key below which a version 1 provider has its own, in
// HKEY_LOCAL_MACHINE.
const Services = `SYSTEM\CurrentControlSet\Services`

// englishTable is the key, in HKEY_LOCAL_MACHINE, with the English names of all counters:
// title index and name by turns (Microsoft Learn, "Retrieving Counter Names and Help Text").
const englishTable = `SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\009`

// Publishers is the value of the Performance key by which the administrator names the
// accounts whose published objects winperf-provider.dll delivers.
const Publishers = "Publishers"

// Plan is what an installation is going to do, in order.
type Plan []Step

// Step is one action. A registry action names a key below HKEY_LOCAL_MACHINE.
type Step struct {
	Action
	// Undo is the command that takes a command back, unless the action's Name was in its Key
	// before: then it would take back what others did. What changes the registry is taken
	// back by what was there before.
	Undo []string
}

// Action is what a step does.
type Action struct {
	Kind    ActionKind
	Key     string
	Name    string // of the value
	Value   Value
	Command []string // the program and its arguments
}

// ActionKind is a kind of action.
type ActionKind uint8

// The kinds of actions.
const (
	CreateKey     ActionKind = iota // Key, with all above it
	SetValue                        // Name in Key becomes Value
	DeleteValue                     // Name in Key, which need not be there
	DeleteKey                       // Key, if it is there and holds neither values nor keys
	RunCommand                      // Command, whose exit status must be 0
	CheckValue                      // Name in Key must be there
	CheckNames                      // Value.Strings must be the names from the title index Name in Key on
	MakePublished                   // the directory that winperf-provider.dll reads, with its rights
)

// Value is a value of the registry.
type Value struct {
	Type    ValueType
	Strings []string // of REG_MULTI_SZ; one of REG_SZ and REG_EXPAND_SZ
	Number  uint32   // of REG_DWORD
	Data    []byte   // of every other type
}

// ValueType is the type of a registry value (winnt.h).
type ValueType uint32

// The types that a provider's keys hold.
const (
	TypeString       ValueType = 1 // REG_SZ
	TypeExpandString ValueType = 2 // REG_EXPAND_SZ
	TypeDWord        ValueType = 4 // REG_DWORD
	TypeMultiString  ValueType = 7 // REG_MULTI_SZ
)

// String is the value as the registry editor shows it.
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

// String is the action in one line.
func (a Action) String() string {
	switch a.Kind {
	case CreateKey:
		return `create key HKLM\` + a.Key
	case SetValue:
		return fmt.Sprintf(`set HKLM\%s : %s = %s`, a.Key, a.Name, a.Value)
	case DeleteValue:
		return fmt.Sprintf(`delete HKLM\%s : %s`, a.Key, a.Name)
	case DeleteKey:
		return fmt.Sprintf(`delete key HKLM\%s if it is empty`, a.Key)
	case CheckValue:
		return fmt.Sprintf(`check that HKLM\%s : %s is there`, a.Key, a.Name)
	case CheckNames:
		return fmt.Sprintf(`check that HKLM\%s : %s is the title index of %q`, a.Key, a.Name,
			a.Value.Strings[0])
	case MakePublished:
		return "make the directory of published counters"
	}
	return "run " + commandLine(a.Command)
}

// commandLine is a command as one would type it.
func commandLine(words []string) string {
	var line []string
	for _, w := range words {
		if strings.ContainsAny(w, " \t") {
			w = `"` + w + `"`
		}
		line = append(line, w)
	}
	return strings.Join(line, " ")
}

// Install says what is to be installed. Paths are full ones.
type Install struct {
	// INI is the .ini file of a version 1 provider, whose header stands beside
	// it, and Driver its name.
	INI, Driver string
	// Names are those of the objects and counters in English, by the numbers of the
	// header; they must be in the name table in the end. Without any that is not looked at.
	Names []string
	// Library is the DLL; Open, Collect and Close are its exports. They default to
	// those of winperf-provider.dll: WinperfOpen, WinperfCollect, WinperfClose.
	Library              string
	Open, Collect, Close string
	// Export is what Open is told, as Linkage\Export; it defaults to Driver.
	Export []string
	// Publishers are the accounts, by names or SIDs, whose published objects
	// winperf-provider.dll delivers, together. Without any each object is that of the
	// account which published it first, or of an administrator.
	Publishers []string
	// Manifest is the .man file of a version 2 provider, Directory where the
	// binary with its texts is, and Provider its GUID.
	Manifest, Directory string
	Provider            winperf.GUID
}

// Plan returns the steps of an installation.
func (in Install) Plan() Plan {
	var p Plan
	if in.INI != "" {
		p = in.version1()
	}

	if in.Manifest != "" {
		command := []string{"lodctr", "/M:" + in.Manifest}
		if in.Directory != "" {
			command = append(command, in.Directory)
		}
		p = append(p, Step{Action{Kind: RunCommand, Command: command},
			[]string{"unlodctr", "/G:" + in.Provider.String()}})
	}
	return p
}

func (in Install) version1() Plan {
	service := Services + `\` + in.Driver
	performance, linkage := service+`\Performance`, service+`\Linkage`
	export := in.Export
	if len(export) == 0 {
		export = []string{in.Driver}
	}

	text := func(name, value, otherwise string) Step {
		if value == "" {
			value = otherwise
		}
		return set(performance, name, Value{Type: TypeString, Strings: []string{value}})
	}

	var p Plan
	if in.Open == "" { // it is winperf-provider.dll
		p = Plan{{Action: Action{Kind: MakePublished}}}
	}

	p = append(p, Step{Action: Action{Kind: CreateKey, Key: performance}})
	if len(in.Publishers) > 0 {
		p = append(p, set(performance, Publishers, Value{Type: TypeMultiString, Strings: in.Publishers}))
	}

	p = append(p, Plan{
		text("Library", in.Library, ""),
		text("Open", in.Open, "WinperfOpen"),
		text("Collect", in.Collect, "WinperfCollect"),
		text("Close", in.Close, "WinperfClose"),
		{Action: Action{Kind: CreateKey, Key: linkage}},
		set(linkage, "Export", Value{Type: TypeMultiString, Strings: export}),
		{
			Action: Action{Kind: RunCommand, Key: performance, Name: firstCounter,
				Command: []string{"lodctr", in.INI}},
			Undo: []string{"unlodctr", in.Driver},
		},
		{Action: Action{Kind: CheckValue, Key: performance, Name: firstCounter}},
	}...)

	// Where a First Counter was there before, lodctr may have done nothing.
	if len(in.Names) > 0 && in.Names[0] != "" {
		names := Value{Type: TypeMultiString, Strings: in.Names}
		p = append(p, Step{Action: Action{Kind: CheckNames, Key: performance, Name: firstCounter,
			Value: names}})
	}
	return p
}

// firstCounter is the value of the Performance key in which lodctr notes the first title index.
const firstCounter = "First Counter"

func set(key, name string, v Value) Step {
	return Step{Action: Action{Kind: SetValue, Key: key, Name: name, Value: v}}
}

// UninstallDriver returns the steps that remove a version 1 provider. What other
// programs keep in its service key stays.
func UninstallDriver(driver string) Plan {
	service := Services + `\` + driver
	performance, linkage := service+`\Performance`, service+`\Linkage`
	p := Plan{{Action: Action{Kind: RunCommand, Command: []string{"unlodctr", driver}}}}
	for _, name := range performanceValues {
		p = append(p, Step{Action: Action{Kind: DeleteValue, Key: performance, Name: name}})
	}
	p = append(p, Step{Action: Action{Kind: DeleteValue, Key: linkage, Name: "Export"}})
	for _, key := range []string{performance, linkage, service} {
		p = append(p, Step{Action: Action{Kind: DeleteKey, Key: key}})
	}
	return p
}

// performanceValues are what installers, lodctr and Windows write to a provider's
// Performance key (Microsoft Learn, "Creating Other Registry Entries").
var performanceValues = []string{
	"Library", "Open", "Collect", "Close", "Open Timeout", "Collect Timeout", "Collect Supports Metadata",
	"First Counter", "Last Counter", "First Help", "Last Help", "Object List", "Library Validation Code",
	"Disable Performance Counters", "Answer Limit", Publishers,
}

// UninstallProvider returns the steps that remove a version 2 provider.
func UninstallProvider(g winperf.GUID) Plan {
	return Plan{{Action: Action{Kind: RunCommand, Command: []string{"unlodctr", "/G:" + g.String()}}}}
}

// String is the plan, a line for each step.
func (p Plan) String() string {
	var b strings.Builder
	for _, s := range p {
		fmt.Fprintln(&b, s.Action)
	}
	return b.String()
}
