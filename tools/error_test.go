package tools

import (
	"context"
	"errors"
	"testing"
)

func TestSummaryHoldsNoOperands(t *testing.T) {
	for want, err := range map[string]error{
		"no page at …":             Errorf(NotFound, "no page at %q", "secret"),
		"… of …: 100% more than …": Errorf(Limited, "%s of %-5.2f: 100%% more than %d", "secret", 1.5, 9),
		"read: …":                  Errorf(Unavailable, "read: %w", errors.New("secret")).WithHint("secret").WithData("secret"),
		"the call was cancelled, by its client or because the hub stops": context.Canceled,
		"":     &Error{Code: Invalid, Message: "secret"},
		"odd ": &Error{format: "odd %"},
	} {
		if got := AsError(err).Summary(); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
