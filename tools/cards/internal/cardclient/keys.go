package cardclient

import (
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"sync"
	"time"
)

// A keySet holds the public keys of the wiki. They are asked for again when they are
// old, and for a key that is not among them, because a wiki may have changed its key:
// once a minute at most, by one caller. While the wiki does not give them the old ones
// count, and who finds a key among them does not wait.
type keySet struct {
	client *Client

	fetching sync.Mutex // held while the wiki is asked

	mu      sync.Mutex
	keys    map[string]*rsa.PublicKey
	fetched time.Time // the last success
	tried   time.Time
}

const (
	askAgain    = time.Minute // for old keys or an unknown one
	shortestKey = 2048        // bits
)

// find returns a public key. A token without the name of a key fits the only one
// there is.
func (s *keySet) find(ctx context.Context, kid string) (*rsa.PublicKey, error) {
	key, known, due := s.look(kid)
	switch {
	case known && (!due || !s.fetching.TryLock()):
		return key, nil
	case !known:
		s.fetching.Lock()
	}
	defer s.fetching.Unlock()
	if key, known, due = s.look(kid); due { // nobody else has asked by now
		if err := s.fetch(ctx); err != nil {
			return nil, err
		}
		key, known, _ = s.look(kid)
	}
	if !known {
		return nil, &NetworkError{Message: "the wiki signed its token with a key that it does not publish"}
	}
	return key, nil
}

// look returns a key if it is among those of before, and whether the wiki is to be
// asked for its keys.
func (s *keySet) look(kid string) (key *rsa.PublicKey, known, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.client.o.Now()
	key, known = s.pick(kid)
	old := now.Sub(s.fetched) >= s.client.o.KeysLast
	return key, known, (old || !known) && (s.keys == nil || now.Sub(s.tried) >= askAgain)
}

// fetch asks for the keys. It fails only while there are none.
func (s *keySet) fetch(ctx context.Context) error {
	now := s.client.o.Now()
	keys, err := s.client.fetchKeys(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = now
	if err == nil {
		s.keys, s.fetched = keys, now
	} else if s.keys == nil {
		return err
	}
	return nil
}

func (s *keySet) pick(kid string) (*rsa.PublicKey, bool) {
	if kid == "" && len(s.keys) == 1 {
		for _, key := range s.keys {
			return key, true
		}
	}
	key, known := s.keys[kid]
	return key, known
}

// fetchKeys asks the wiki for its keys. Those that are no RSA keys for signatures, or
// too short, are left out.
func (c *Client) fetchKeys(ctx context.Context) (map[string]*rsa.PublicKey, error) {
	r := Request{Method: http.MethodGet, Path: "/.well-known/jwks.json"}
	answer, err := c.retry(ctx, true, func() (Response, error) { return c.send(ctx, r, nil, "") })
	if err != nil {
		return nil, err
	}
	var in struct {
		Keys []struct{ Kid, Kty, Use, Alg, N, E string } `json:"keys"`
	}
	if err := json.Unmarshal(answer.Body, &in); err != nil {
		return nil, &NetworkError{Message: "the public keys of the wiki cannot be read"}
	}
	keys := map[string]*rsa.PublicKey{}
	for _, k := range in.Keys {
		n, err := base64.RawURLEncoding.DecodeString(k.N)
		if err != nil {
			continue
		}
		e, err := base64.RawURLEncoding.DecodeString(k.E)
		if err != nil || len(e) == 0 || len(e) > 4 {
			continue
		}
		key := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		if k.Kty == "RSA" && (k.Use == "" || k.Use == "sig") && (k.Alg == "" || k.Alg == "RS256") && key.N.BitLen() >= shortestKey {
			keys[k.Kid] = key
		}
	}
	if len(keys) == 0 {
		return nil, &NetworkError{Message: "the wiki publishes no key for its tokens"}
	}
	return keys, nil
}
