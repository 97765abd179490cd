package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"path/filepath"
	"strings"

	"github.com/winperf/winperf/internal/pubfile"
)

// A claim tells since when an account publishes what a file of its holds. It is a
// symbolic link beside the file, made once, in whose name there is a hash of the file's
// definitions. No account can set the time of a link's last change (ctime), and making,
// renaming and linking set it to now. So that time is when the owner committed to these
// definitions, however the file was changed since: its own times tell nothing of that,
// as they do not move with what is written through mapped memory, and its time of birth
// nothing of what is in it now.
//
// No other account can make a claim first: its name follows from definitions that no
// other account can read by then.
type claim struct {
	owner int64 // the account's id
	at    int64 // the time, in ns since 1970; 0 where there is no claim
}

// claimSuffix is the end of the names of claims.
const claimSuffix = ".claim"

// claimDigits is how many characters of a claim's name are the hash.
const claimDigits = 32

// unclaimed is when a file without a claim is taken to have been published: after
// all others.
const unclaimed = math.MaxInt64

// claimName is the path of a file's claim to what stands before the slots and never
// changes.
func claimName(path string, static []byte) string {
	sum := sha256.Sum256(static[pubfile.HeaderStarted:])
	return path + "." + hex.EncodeToString(sum[:claimDigits/2]) + claimSuffix
}

// claimedFile is the path of the file that a claim is about by its name, "" for what
// is no claim.
func claimedFile(path string) string {
	path, isClaim := strings.CutSuffix(path, claimSuffix)
	file := strings.TrimSuffix(path, filepath.Ext(path))
	if !isClaim || len(path)-len(file) != 1+claimDigits || !strings.HasSuffix(file, pubfile.Suffix) {
		return ""
	}
	return file
}
