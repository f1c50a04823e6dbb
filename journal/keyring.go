package journal

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// A Keyring keeps keys where the system keeps a person's passwords. It may take
// as long as it likes, refuse, forget, and say what is not so: nothing of that
// harms the journal. Its methods are called one at a time.
type Keyring interface {
	// Get answers the key of this ID. Only with ask may it show the person a
	// window, such as one that unlocks it.
	Get(id string, ask bool) ([]byte, error)
	Set(id string, key []byte) error
	// Delete removes a key, and may ask the person first; that there is none is
	// no error.
	Delete(id string) error
}

// How long a Keyring is waited for: while an agent waits, and while a person
// looks at its window.
const (
	answerWithin = 2 * time.Second
	windowWithin = 90 * time.Second
)

var (
	errNoKeyring = errors.New("this system has no keyring that Lectern can use")
	errSilent    = errors.New("the keyring does not answer")
)

// A ring asks a Keyring, and waits for it only so long. While it has not
// answered it is not asked again, so that there is never more than one window.
type ring struct {
	keyring Keyring // nil: there is none

	mu   sync.Mutex
	busy bool
	had  map[string]*key // what it gave, also when nobody waited any more
}

// known is a key that the keyring gave before; nil: it did not.
func (r *ring) known(id string) *key {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.had[id]
}

// ask has the Keyring do f.
func (r *ring) ask(within time.Duration, f func() error) error {
	if r.keyring == nil {
		return errNoKeyring
	}
	r.mu.Lock()
	if r.busy {
		r.mu.Unlock()
		return errSilent
	}
	r.busy = true
	r.mu.Unlock()
	done := make(chan error, 1)
	go func() {
		err := f()
		r.mu.Lock()
		r.busy = false
		r.mu.Unlock()
		done <- err
	}()
	patience := time.NewTimer(within)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
		return errSilent
	}
}

func (r *ring) get(id string, window bool) (*key, error) {
	if k := r.known(id); k != nil {
		return k, nil
	}
	within := answerWithin
	if window {
		within = windowWithin
	}
	if err := r.ask(within, func() error { return r.fetch(id, window) }); err != nil {
		return nil, err
	}
	return r.known(id), nil
}

func (r *ring) fetch(id string, window bool) error {
	secret, err := r.keyring.Get(id, window)
	if err != nil {
		return err
	}
	if len(secret) != keySize {
		return errors.New("the keyring answers something else than the journal's key")
	}
	k, err := keyOf(secret)
	if err != nil {
		return err
	}
	if k.id != id {
		return fmt.Errorf("the keyring answers another key (%s) than that of the journal (%s)", k.id, id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.had == nil {
		r.had = map[string]*key{}
	}
	r.had[id] = k
	return nil
}

// put gives the Keyring a key and has it answer that, so that nothing hangs on
// what it has only promised.
func (r *ring) put(k *key) error {
	return r.ask(answerWithin, func() error {
		if err := r.keyring.Set(k.id, k.secret); err != nil {
			return err
		}
		return r.fetch(k.id, false)
	})
}

func (r *ring) drop(id string) error {
	return r.ask(answerWithin, func() error { return r.keyring.Delete(id) })
}
