package webconfig

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"

	"golang.org/x/crypto/bcrypt"
)

// users checks passwords.
type users struct {
	hashes map[string]string // by user, of bcrypt
	decoy  string            // the slowest hash, compared for unknown users

	comparing sync.Mutex // at most one comparison at a time: each costs about 50 ms of processor time

	// The last correct password of each user, as HMAC with a random key, so that scrapes need no comparison.
	mu      sync.Mutex
	key     [sha256.Size]byte
	correct map[string][]byte
}

func (u *users) set(hashes map[string]string) {
	u.hashes, u.correct = hashes, map[string][]byte{}
	_, _ = rand.Read(u.key[:]) // never fails
	slowest := -1
	for _, hash := range hashes {
		if cost, _ := bcrypt.Cost([]byte(hash)); cost > slowest {
			slowest, u.decoy = cost, hash
		}
	}
}

// allow reports whether a request has the password of a user, or there are no users.
func (u *users) allow(r *http.Request) bool {
	if len(u.hashes) == 0 {
		return true
	}
	name, password, ok := r.BasicAuth()
	if !ok {
		return false
	}
	sum := u.sum(password)
	if u.wasCorrect(name, sum) {
		return true
	}

	u.comparing.Lock()
	defer u.comparing.Unlock()
	if r.Context().Err() != nil { // the client left
		return false
	}
	// An unknown user takes the same time as a wrong password.
	hash, known := u.hashes[name]
	if !known {
		hash = u.decoy
	}
	if err := bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)); err != nil || !known {
		return false
	}

	u.mu.Lock()
	defer u.mu.Unlock()
	u.correct[name] = sum
	return true
}

func (u *users) sum(password string) []byte {
	mac := hmac.New(sha256.New, u.key[:])
	mac.Write([]byte(password))
	return mac.Sum(nil)
}

func (u *users) wasCorrect(name string, sum []byte) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	last, ok := u.correct[name]
	return ok && hmac.Equal(last, sum)
}
