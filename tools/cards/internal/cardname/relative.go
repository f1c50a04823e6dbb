package cardname

import (
	"slices"
	"strconv"
	"strings"
)

// Absolute is a name in the content of a card as it is meant there: +x is below the
// card context, _left its left side, _1 its first part. The reader decides
// who _user is; user is that name.
func (n Name) Absolute(context, user Name) Name {
	parts := n.Parts()
	if len(parts) == 0 {
		return ""
	}
	for i, part := range parts {
		parts[i] = relativePart(part, context, user)
	}
	// Where a name begins or ends with a joint, the context stands there; but for a
	// name that has the context there already.
	whole := Join(parts...).Parts()
	beside := context.Parts()
	begins := len(beside) <= len(whole) && slices.Equal(keysOf(whole[:len(beside)]), keysOf(beside))
	ends := len(beside) <= len(whole) && slices.Equal(keysOf(whole[len(whole)-len(beside):]), keysOf(beside))
	if parts[0] == "" && !begins {
		parts[0] = context
	}
	if last := len(parts) - 1; parts[last] == "" && !ends {
		parts[last] = context
	}
	return Join(parts...)
}

func keysOf(parts []Name) []string {
	keys := make([]string, len(parts))
	for i, part := range parts {
		keys[i] = part.Key()
	}
	return keys
}

func relativePart(part, context, user Name) Name {
	word, isRelative := strings.CutPrefix(strings.ToLower(string(part)), "_")
	if !isRelative {
		return part
	}
	switch word {
	case "user":
		return user
	case "", "self", "whole", "main":
		return context
	case "left":
		return context.Left()
	case "right":
		return context.last()
	}
	if nth, err := strconv.Atoi(word); err == nil && nth > 0 {
		if parts := context.Parts(); nth <= len(parts) {
			return parts[nth-1]
		}
		return ""
	}
	lefts := strings.TrimSuffix(word, "r")
	if strings.Trim(lefts, "l") != "" {
		return part // an ordinary name that begins so
	}
	at := context.left(len(lefts))
	if lefts != word {
		return at.last()
	}
	return at
}

// last is the right side of a compound name, and all of a simple one.
func (n Name) last() Name {
	if !n.IsCompound() {
		return n
	}
	return n.Right()
}

// Swap replaces the parts of old wherever they follow each other in n, by those of
// with. Parts are compared by their keys.
func (n Name) Swap(old, with Name) Name {
	parts, want := n.Parts(), keysOf(old.Parts())
	if len(want) == 0 {
		return n
	}
	var out []Name
	for i := 0; i < len(parts); {
		if i+len(want) <= len(parts) && slices.Equal(keysOf(parts[i:i+len(want)]), want) {
			out = append(out, with)
			i += len(want)
			continue
		}
		out = append(out, parts[i])
		i++
	}
	return Join(out...)
}
