package hub

import "context"

// elicit asks for an approval in the client too, where that may be.
func (h *Hub) elicit(context.Context, *call, *waiting) {}
