package diagnosis

import (
	"fmt"
	"slices"
	"strings"
)

// Access is an entry in the access control list of a registry key.
type Access struct {
	Account string // a SID such as S-1-5-32-558
	Deny    bool
	Mask    uint32 // rights (winnt.h, ACCESS_MASK)
}

// readers are the accounts that read counters without being administrators, with the groups that contain
// them.
var readers = []struct {
	name, sid string
	groups    []string
}{
	{"Performance Monitor Users", "S-1-5-32-558", users},
	{"Performance Log Users", "S-1-5-32-559", users},
	{"LOCAL SERVICE", "S-1-5-19", append([]string{service}, users...)},
	{"NETWORK SERVICE", "S-1-5-20", append([]string{service}, users...)},
}

// Groups that contain other accounts: SERVICE; Everyone, Authenticated Users and Users.
const service = "S-1-5-6"

var users = []string{"S-1-1-0", "S-1-5-11", "S-1-5-32-545"}

// Rights of a registry key (winnt.h).
const (
	readKey     = 0x9 // KEY_QUERY_VALUE and KEY_ENUMERATE_SUB_KEYS
	genericRead = 0x8000_0000
	genericAll  = 0x1000_0000
)

// mayRead reports whether a list lets an account read a key. The first entry about a right decides.
func mayRead(list []Access, sid string, groups []string) bool {
	needed := uint32(readKey)
	for _, a := range list {
		if a.Account != sid && !slices.Contains(groups, a.Account) {
			continue
		}
		mask := a.Mask
		if mask&(genericRead|genericAll) != 0 {
			mask |= readKey
		}
		if a.Deny && needed&mask != 0 {
			return false
		}
		needed &^= mask
	}
	return needed == 0
}

func findKeyRights(v *view, report func(Finding)) {
	if v.Rights == nil {
		return
	}

	var evidence, denied, sids []string
	for _, key := range v.ruledKeys() {
		list, known := v.rightsOf(key)
		if !known {
			continue
		}
		var names []string
		for _, r := range readers {
			if mayRead(list, r.sid, r.groups) {
				continue
			}
			names = append(names, r.name)
			if !slices.Contains(sids, r.sid) {
				sids = append(sids, r.sid)
			}
		}
		if len(names) > 0 {
			denied = append(denied, `HKLM:\`+key)
			evidence = append(evidence, fmt.Sprintf("%s: %s", hklm+key, strings.Join(names, ", ")))
		}
	}
	if len(denied) > 0 {
		report(Finding{
			What:     "Accounts that read counters have no right to read keys of performance counters.",
			Evidence: few(evidence),
		}.allow(denied, sids))
	}
}

// ruledKeys returns the keys that the readers need.
func (v *view) ruledKeys() []string {
	keys := []string{perflibKey, EnglishNames, setsKey}
	for _, p := range v.providers {
		keys = append(keys, p.key)
	}
	return keys
}

// rightsOf returns the access control list of a key. Missing keys, and keys that this account may not
// read, are other findings.
func (v *view) rightsOf(key string) (list []Access, known bool) {
	if _, err := v.Registry.Keys(key); err != nil {
		return nil, false
	}
	list, err := v.Rights(key)
	if err != nil {
		v.unexamined = append(v.unexamined, Unexamined{"rights", fmt.Sprintf("%s: %v", hklm+key, err)})
	}
	return list, err == nil && list != nil
}

// allow fills the repair of missing rights to read keys.
func (f Finding) allow(keys, sids []string) Finding {
	const each = "foreach ($k in %s) { %s }"
	quoted := func(texts []string) string { return "'" + strings.Join(texts, "','") + "'" }
	f.Fix = []string{
		fmt.Sprintf(each, quoted(keys), "$k; (Get-Acl $k).Sddl"),
		fmt.Sprintf(each, quoted(keys), "$a = Get-Acl $k; foreach ($s in "+quoted(sids)+
			") { $a.AddAccessRule([Security.AccessControl.RegistryAccessRule]::new("+
			"[Security.Principal.SecurityIdentifier]::new($s),'ReadKey','ContainerInherit','None','Allow')) }; "+
			"Set-Acl $k $a"),
	}
	f.Risk = "Run the commands in an elevated PowerShell. The first one shows the rights before the change: " +
		"keep its output. The accounts can then read the keys and the keys below. The command removes no " +
		"entry that denies the right; remove such entries in regedit. If a policy set the rights, it sets them " +
		"again."
	return f
}
