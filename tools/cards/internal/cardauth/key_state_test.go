package cardauth

import "testing"

// A key allows more than another if somebody can do with it what they cannot do now.
func TestAllowsMore(t *testing.T) {
	key := func(change func(*KeyState)) *KeyState {
		k := &KeyState{ID: 1, Name: "team", Roles: "user,gm", RateLimit: 10, Active: 1, ExpiresAt: 1000, Digest: "d"}
		change(k)
		return k
	}
	now := key(func(*KeyState) {})
	for name, c := range map[string]struct {
		from, to *KeyState
		more     bool
	}{
		"removed":               {now, nil, false},
		"back":                  {nil, now, true},
		"back, not active":      {nil, key(func(k *KeyState) { k.Active = 0 }), false},
		"active again":          {key(func(k *KeyState) { k.Active = 0 }), now, true},
		"not active":            {now, key(func(k *KeyState) { k.Active = 0 }), false},
		"longer":                {now, key(func(k *KeyState) { k.ExpiresAt = 1001 }), true},
		"for ever":              {now, key(func(k *KeyState) { k.ExpiresAt = 0 }), true},
		"shorter":               {now, key(func(k *KeyState) { k.ExpiresAt = 999 }), false},
		"no longer for ever":    {key(func(k *KeyState) { k.ExpiresAt = 0 }), now, false},
		"another role":          {now, key(func(k *KeyState) { k.Roles = "user,admin" }), true},
		"one role less":         {now, key(func(k *KeyState) { k.Roles = "user" }), false},
		"the roles of a longer": {key(func(k *KeyState) { k.Roles = "user" }), now, true},
		"the text of another":   {now, key(func(k *KeyState) { k.Digest = "e" }), true},
		"more requests":         {now, key(func(k *KeyState) { k.RateLimit = 11 }), true},
		"fewer requests":        {now, key(func(k *KeyState) { k.RateLimit = 9 }), false},
		"another contact":       {now, key(func(k *KeyState) { k.Contact, k.About, k.Name = "c", "a", "n" }), false},
	} {
		if got := c.to.AllowsMore(c.from); got != c.more {
			t.Errorf("%s: %v, want %v", name, got, c.more)
		}
	}
}
