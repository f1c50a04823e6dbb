package notesapi

// A recentCache keeps values that were used not long ago, by halves: when the young half is
// full it becomes the old one, and what nobody asked for since goes. What it returns is for
// reading only. Whoever uses it has a lock.
type recentCache[V any] struct {
	young, old map[string]sizedValue[V]
	size       int // of the values in young
}

type sizedValue[V any] struct {
	value V
	size  int
}

// Sizes in bytes: of the values of a half of a cache, and of one value in it.
const (
	maxYoung  = 1 << 20
	maxCached = 64 << 10
)

func (c *recentCache[V]) find(key string) (value V, known bool) {
	if v, known := c.young[key]; known {
		return v.value, true
	}
	v, known := c.old[key]
	if known {
		c.add(key, v.value, v.size)
	}
	return v.value, known
}

func (c *recentCache[V]) add(key string, value V, size int) {
	if size > maxCached {
		return
	}
	if c.size += size; c.young == nil || c.size > maxYoung {
		c.young, c.old, c.size = map[string]sizedValue[V]{}, c.young, size
	}
	c.young[key] = sizedValue[V]{value, size}
}
