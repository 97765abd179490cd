package regfile_test

import (
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/regfile"
)

const goodHeader = `#define TRANSFER 0
#define SENT 2
#define WIDTH 4

#define PEER 6
#define SERVED 8
`

const goodINI = `[info]
drivername=MyApplication
symbolfile=transfer.h

[objects]
TRANSFER_009_NAME=
PEER_009_NAME=

[languages]
009=English
00C=

[text]
TRANSFER_009_NAME=Transfer
TRANSFER_009_HELP=Transfers of this application.
SENT_009_NAME=Bytes Sent
WIDTH_009_NAME=Available Bandwidth
PEER_009_NAME=Peer
SERVED_009_NAME=Bytes Served
TRANSFER_00C_NAME=Transfert
SENT_00C_NAME=Octets envoyés
WIDTH_00C_NAME=Bande passante disponible
PEER_00C_NAME=Pair
SERVED_00C_NAME=Octets servis
`

const goodManifest = `<?xml version="1.0" encoding="UTF-8"?>
<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
<instrumentation>
<counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="1.1">
<provider applicationIdentity="transfer.exe" providerGuid="{11111111-0000-0000-0000-000000000001}" symbol="P" callback="custom">
<counterSet guid="{11111111-0000-0000-0000-000000000002}" uri="T" symbol="S" name="Transfer" description="Transfers." instances="single">
<counter id="1" uri="T.Sent" symbol="SENT" name="Bytes Sent" description="Bytes." type="perf_counter_rawcount" detailLevel="standard" defaultScale="-3"/>
<counter id="2" uri="T.Width" name="Width" description="Free." type="perf_raw_fraction" detailLevel="standard" baseID="3"/>
<counter id="3" uri="T.Base" type="perf_raw_base" detailLevel="standard">
<counterAttributes><counterAttribute name="noDisplay"/></counterAttributes>
</counter>
<counter id="4" uri="T.Queue" name="Queue" description="Waiting." type="perf_obj_time_timer" detailLevel="advanced" perfTimeID="5" perfFreqID="6"/>
<counter id="5" uri="T.Time" type="perf_counter_large_rawcount" detailLevel="standard"><counterAttributes><counterAttribute name="noDisplay"/></counterAttributes></counter>
<counter id="6" uri="T.Freq" type="perf_counter_large_rawcount" detailLevel="standard"><counterAttributes><counterAttribute name="noDisplay"/></counterAttributes></counter>
</counterSet>
</provider>
</counters>
</instrumentation>
</instrumentationManifest>
`

// broken are files with one fault each: what is replaced in a good one, and the
// only finding that there must be.
var broken = []struct{ kind, old, new, want string }{
	{"h", "#define SENT 2", "#define SENT two", `t.h:2:14: SENT is "two": expected a number`},
	{"h", "#define SENT 2", "#define SENT 2 + 2", `t.h:2:14: SENT is "2 + 2": expected a number`},
	{"h", "#define SENT 2\n", "#define SENT 2\n#define SENT 4\n",
		`t.h:3:9: symbol SENT is in line 2 already`},
	{"h", "SERVED 8", "SERVED 9",
		`t.h:6:9: SERVED has number 9: names have even numbers, their help texts the next odd ones`},
	{"h", "SERVED 8", "SERVED 10", `t.h:6:9: SERVED has number 10: after PEER comes 8`},
	{"h", "SERVED 8", "SERVED 6", `t.h:6:9: SERVED has number 6, which PEER has already`},
	{"h", "#define SENT 2", "#define SE-NT 2",
		`t.h:2:9: symbol "SE-NT" is not the name of a C constant: it has '-'`},
	{"h", "#define SENT 2", "  #define", `t.h:2:3: #define without a name`},

	{"ini", "[info]", "[inf]", `t.ini:1:1: section [inf] is unknown: did you mean info?`},
	{"ini", "[objects]", "[objects", `t.ini:5:1: section "[objects" has no ] at its end`},
	{"ini", "[info]", "x=1\n[info]", `t.ini:1:1: "x=1" is before the first section: expected [info]`},
	{"ini", "[languages]", "[objects]\n[languages]",
		`t.ini:9:1: section [objects] began in line 5 already, and Windows reads only that`},
	{"ini", "drivername=MyApplication", "drivername=My\\Application",
		`t.ini:2:12: drivername "My\\Application" has a slash, which ends the name of a registry key`},
	{"ini", "drivername=MyApplication\n", "", `t.ini: [info] has no drivername`},
	{"ini", "drivername=MyApplication", "drivername MyApplication",
		`t.ini:2:1: "drivername MyApplication" has no =`},
	{"ini", "symbolfile=transfer.h\n", "", `t.ini: [info] has no symbolfile`},
	{"ini", "symbolfile=transfer.h", `symbolfile = c:\transfer.h`,
		`t.ini:3:14: symbolfile "c:\\transfer.h" has a path: the header must be in the directory of the .ini file`},
	{"ini", "[info]\n", "[info]\nsymbolfiles=a.h\n",
		`t.ini:2:1: warning: [info] has no symbolfiles: did you mean symbolfile?`},
	{"ini", "[objects]\nTRANSFER_009_NAME=\nPEER_009_NAME=\n", "",
		`t.ini: warning: no section [objects]: the DLL is called for every query, whatever it asks for, and an event 2000 reports it`},
	{"ini", "[objects]\nTRANSFER_009_NAME=\nPEER_009_NAME=", "[objects]", `t.ini: [objects] lists no object`},
	{"ini", "\nPEER_009_NAME=\n", "\nPEER_009_HELP=\n",
		`t.ini:7:1: PEER_009_HELP: objects are listed by their _NAME`},
	{"ini", "[objects]\nTRANSFER_009_NAME=\n", "[objects]\n",
		`t.ini:6:1: [objects] does not list TRANSFER, the first symbol of t.h, which is an object`},
	{"ini", "\nPEER_009_NAME=\n", "\nPER_009_NAME=\n",
		`t.ini:7:1: PER is not defined in t.h: did you mean PEER?`},
	{"ini", "00C=\n", "00C=\nfrench=\n",
		`t.ini:12:1: language "french" is not a hexadecimal number of 3 digits, such as 009`},
	{"ini", "SERVED_00C_NAME=Octets servis\n", "", `t.ini:11:1: language 00C has no SERVED_00C_NAME`},
	{"ini", "SENT_009_NAME=Bytes Sent", "SENT_009_NAME=Bytes\tSent",
		`t.ini:16:15: SENT_009_NAME has the formatting character '\t'`},
	{"ini", "SENT_009_NAME=Bytes Sent", "SENT_009_NAME=Bytes Sent\nSENT_009_NAME=Sent",
		`t.ini:17:1: SENT_009_NAME is in line 16 already, and Windows uses that one`},
	{"ini", "TRANSFER_009_HELP=", "TRANSFER_HELP=",
		`t.ini:15:1: key "TRANSFER_HELP" has no language id of 3 hexadecimal digits before _HELP`},
	{"ini", "TRANSFER_009_HELP=", "TRANSFER_009_HLP=",
		`t.ini:15:1: key "TRANSFER_009_HLP" does not end in _NAME or _HELP`},
	{"ini", "TRANSFER_009_HELP=", "TRANSFER_007_HELP=",
		`t.ini:15:1: TRANSFER_007_HELP: language 007 is not in [languages]`},
	{"ini", "TRANSFER_009_HELP=", "TRANSPORT_009_HELP=",
		`t.ini:15:1: TRANSPORT is not defined in t.h: did you mean TRANSFER?`},
	{"ini", "PEER_00C_NAME=Pair", "=Pair\nPEER_00C_NAME=Pair", `t.ini:23:1: no key before the =`},

	{"man", "</counterSet>\n", "", `t.man:15:12: 15: element <counterSet> closed by </provider>`},
	{"man", "instrumentationManifest", "manifest",
		`t.man:2:1: the document is <manifest>: expected <instrumentationManifest>`},
	{"man", "2005/12", "2006/12",
		`t.man:4:1: <counters> is of the namespace "http://schemas.microsoft.com/win/2006/12/counters": ` +
			`expected xmlns="http://schemas.microsoft.com/win/2005/12/counters"`},
	{"man", `"transfer.exe"`, `"bin\transfer.exe"`,
		`t.man:5:11: applicationIdentity="bin\\transfer.exe": expected a file name without a path`},
	{"man", `providerGuid="{11111111-0000-0000-0000-000000000001}"`, `providerGuid="11111111"`,
		`t.man:5:46: providerGuid="11111111": expected a GUID, {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}`},
	{"man", ` providerGuid="{11111111-0000-0000-0000-000000000001}"`, ``,
		`t.man:5:1: <provider> has no providerGuid`},
	{"man", `callback="custom"`, `callback="costom"`,
		`t.man:5:111: callback="costom": expected default, custom: did you mean custom?`},
	{"man", `000000000002}`, `000000000001}`,
		`t.man:6:1: GUID {11111111-0000-0000-0000-000000000001}: line 5 has it already`},
	{"man", ` description="Transfers."`, ``, `t.man:6:1: <counterSet> has no description`},
	{"man", `instances="single"`, `instances="many"`,
		`t.man:6:119: instances="many": expected single, multiple, globalAggregate, multipleAggregate, globalAggregateHistory, instanceAggregate`},
	{"man", `id="2"`, `id="1"`, `t.man:8:10: id=1: the counter in line 7 has it already`},
	{"man", `id="2"`, `id="two"`, `t.man:8:10: id="two": expected a number from 0 to 4294967294`},
	{"man", `"perf_counter_rawcount"`, `"perf_counter_rowcount"`,
		`t.man:7:83: type="perf_counter_rowcount": unknown counter type "perf_counter_rowcount": did you mean PERF_COUNTER_RAWCOUNT?`},
	{"man", `"perf_counter_rawcount"`, `"PERF_COUNTER_RAWCOUNT"`,
		`t.man:7:83: type="PERF_COUNTER_RAWCOUNT": expected the constant of winperf.h in lower case, perf_counter_rawcount`},
	{"man", ` detailLevel="standard" defaultScale`, ` defaultScale`,
		`t.man:7:1: <counter> has no detailLevel`},
	{"man", `defaultScale="-3"`, `defaultScale="11"`,
		`t.man:7:135: defaultScale="11": expected a number from -10 to 10`},
	{"man", `defaultScale="-3"`, `defaultscale="-3"`,
		`t.man:7:135: <counter> has no attribute defaultscale: did you mean defaultScale?`},
	{"man", ` baseID="3"`, ``, `t.man:8:1: a counter of type perf_raw_fraction needs baseID`},
	{"man", `baseID="3"`, `baseID="9"`, `t.man:8:112: baseID=9: the set has no counter of this id`},
	{"man", `baseID="3"`, `baseID="1"`,
		`t.man:8:112: baseID=1 is of type perf_counter_rawcount: expected a base that fits`},
	{"man", ` perfFreqID="6"`, ``, `t.man:12:1: a counter of type perf_obj_time_timer needs perfFreqID`},
	{"man", `perfTimeID="5"`, `perfTimeID="3"`,
		`t.man:12:117: perfTimeID=3 is of type perf_raw_base: expected perf_counter_large_rawcount`},
	{"man", ` name="Width"`, ``, `t.man:8:1: <counter> has no name and is not noDisplay`},
	{"man", `uri="T.Width"`, `uri="T.Sent"`, `t.man:8:1: URI T.Sent: line 7 has it already`},
	{"man", `<counterAttribute name="noDisplay"/></counterAttributes>` + "\n",
		`<counterAttribute name="noDisplay"/><attr/></counterAttributes>` + "\n",
		`t.man:10:56: <counterAttributes> has no element <attr>`},
	{"man", `name="noDisplay"/></counterAttributes>` + "\n",
		`name="noDisplay"/><counterAttribute name="displayAsHex"/></counterAttributes>` + "\n",
		`t.man:9:1: warning: counter attributes noDisplay and displayAsHex exclude one another`},
}

// check reads a file of a kind, with goodHeader next to an .ini file.
func check(kind, text string) regfile.Findings {
	switch kind {
	case "h":
		_, found := regfile.ParseHeader("t.h", []byte(text))
		return found
	case "ini":
		ini, found := regfile.ParseINI("t.ini", []byte(text))
		header, _ := regfile.ParseHeader("t.h", []byte(goodHeader))
		return append(found, regfile.CheckINI(ini, header)...)
	}
	_, found := regfile.ParseManifest("t.man", []byte(text))
	return found
}

func TestBroken(t *testing.T) {
	good := map[string]string{"h": goodHeader, "ini": goodINI, "man": goodManifest}
	for kind, text := range good {
		if found := check(kind, text); len(found) > 0 {
			t.Errorf("a correct .%s file: %v", kind, found)
		}
	}
	for _, c := range broken {
		if !strings.Contains(good[c.kind], c.old) {
			t.Errorf("no %q in the good .%s file", c.old, c.kind)
			continue
		}
		var got []string
		for _, f := range check(c.kind, strings.ReplaceAll(good[c.kind], c.old, c.new)) {
			got = append(got, f.Error())
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf(".%s with %q:\n%s\nwant\n%s", c.kind, c.new, strings.Join(got, "\n"), c.want)
		}
	}
}
