package update

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUpdate(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	res, err := h.updater().Apply(t.Context(), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Result{From: "1.0.0", To: "1.1.0", Path: h.target, Changed: true}, res); d != "" {
		t.Error(d)
	}
	h.expect("1.1.0", "lectern.prev")
	if d := cmp.Diff([]Step{Signature, Version, Download, Checksum, Extract, Platform, Run, Swap}, h.steps); d != "" {
		t.Error("steps:", d)
	}
	info, err := os.Stat(h.target)
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	res, err = h.updater().Apply(t.Context(), ApplyOptions{})
	if err != nil || res.Changed {
		t.Errorf("again: %+v, %v", res, err)
	}

	for _, want := range []string{"1.0.0", "1.1.0"} { // back, and forth again
		if res, err = h.updater().Rollback(t.Context(), false); err != nil || res.To != want {
			t.Fatalf("%+v, %v", res, err)
		}
		h.expect(want, "lectern.prev")
	}
}

func TestDryRunInstallsNothing(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	res, err := h.updater().Apply(t.Context(), ApplyOptions{DryRun: true})
	if err != nil || res.Changed || res.To != "1.1.0" || !slices.Contains(h.steps, Run) {
		t.Errorf("%+v, %v, steps %v", res, err, h.steps)
	}
	h.expect("1.0.0")
}

// The installed binary is behind a link, as many people have it.
func TestUpdateBehindLink(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	link := filepath.Join(t.TempDir(), "lectern")
	if err := os.Symlink(h.target, link); err != nil {
		t.Fatal(err)
	}
	h.config.Target = link
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	h.expect("1.1.0", "lectern.prev")
	if to, err := os.Readlink(link); err != nil || to != h.target {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// The next key is accepted as the current one is.
func TestNextKey(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	h.config.Keys = []string{newSigner(t).public.String(), s.key.public.String()}
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	h.expect("1.1.0", "lectern.prev")
}

func TestWhatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		offer  string
		wish   ApplyOptions
		change func(*testInstall)
		want   string
	}{
		"downgrade":                            {"0.9.0", ApplyOptions{}, nil, "--version 0.9.0 --allow-downgrade"},
		"below the minimum, even if asked for": {"0.2.0", ApplyOptions{Version: "0.2.0", AllowDowngrade: true}, func(h *testInstall) { h.config.Minimum = "0.5.0" }, "choose a newer one"},
		"hidden versions": {"1.1.0", ApplyOptions{}, func(h *testInstall) {
			h.change(func(s *KnownVersions) { s.Highest = "1.2.0" })
		}, "1.2.0 has been seen before"},
		"bad versions": {"1.1.0", ApplyOptions{}, func(h *testInstall) { h.change(func(s *KnownVersions) { s.Bad = []string{"1.1.0"} }) }, "and undone"},
		"no key":       {"1.1.0", ApplyOptions{}, func(h *testInstall) { h.config.Keys = []string{} }, "this build carries no release key"},
		"managed": {"1.1.0", ApplyOptions{}, func(h *testInstall) {
			h.config.Owner = func(context.Context, string) (PackageManager, bool) {
				return packageManagerByPath("/opt/homebrew/Caskroom/lectern/1.0.0/lectern")
			}
		}, "is managed by Homebrew; update it with: brew upgrade --cask lectern"},
		"strange versions": {"1.1.0", ApplyOptions{Version: "../1"}, nil, "write it as 1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(t)
			s.offer(c.offer)
			h := newTestInstall(t, s)
			if c.change != nil {
				c.change(h)
			}
			_, err := h.updater().Apply(t.Context(), c.wish)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			h.expect("1.0.0")
		})
	}
}

func (h *testInstall) change(edit func(*KnownVersions)) {
	h.t.Helper()
	if err := h.updater().known.update(edit); err != nil {
		h.t.Fatal(err)
	}
}

func TestDowngradeThatIsMeant(t *testing.T) {
	s := newFakeServer(t)
	s.offer("0.9.0")
	h := newTestInstall(t, s)
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{Version: "0.9.0", AllowDowngrade: true}); err != nil {
		t.Fatal(err)
	}
	h.expect("0.9.0", "lectern.prev")
}

// A hub that does not serve after the swap brings the old binary back, and the
// version is not tried again by itself.
func TestSickHub(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	var restarted []string
	h.config.Restart = func(_ context.Context, version string) error { restarted = append(restarted, version); return nil }
	h.config.Healthy = func(_ context.Context, version string) error {
		if version == "1.1.0" {
			return errors.New("it answers nonsense")
		}
		return nil
	}
	res, err := h.updater().Apply(t.Context(), ApplyOptions{})
	if err == nil || !strings.Contains(err.Error(), "version 1.0.0 is installed again") || res.Changed {
		t.Errorf("%+v, %v", res, err)
	}
	h.expect("1.0.0", "lectern.prev")
	if d := cmp.Diff([]string{"1.1.0", "1.0.0"}, restarted); d != "" {
		t.Error(d)
	}
	if _, err = h.updater().Apply(t.Context(), ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "to try it again") {
		t.Errorf("again: %v", err)
	}
	state, err := h.updater().Check(t.Context())
	if err != nil || state.Newer {
		t.Errorf("check: %+v, %v", state, err)
	}
}

func TestRollbackWithoutPrevious(t *testing.T) {
	h := newTestInstall(t, newFakeServer(t))
	if _, err := h.updater().Rollback(t.Context(), false); err == nil || !strings.Contains(err.Error(), "lectern was not updated here") {
		t.Errorf("error %v", err)
	}
	h.expect("1.0.0")
}

// Two at once: one installs, the other says that it is under way.
func TestTwoAtOnce(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	inside, goOn := make(chan struct{}), make(chan struct{})
	first := h.updater()
	first.atPoint = func(point string) {
		if point == pointStaged {
			close(inside)
			<-goOn
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := first.Apply(t.Context(), ApplyOptions{})
		ended <- err
	}()
	<-inside
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); !errors.Is(err, errLocked) {
		t.Errorf("the second: %v", err)
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	h.expect("1.1.0", "lectern.prev")
}

// A binary that somebody else replaced meanwhile is not overwritten.
func TestChangedMeanwhile(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	h.config.Inspect = func(ctx context.Context, binary string) ([]byte, error) {
		if binary != h.target {
			if err := errors.Join(os.Remove(h.target), os.WriteFile(h.target, program("1.0.5"), 0o755)); err != nil {
				t.Error(err)
			}
		}
		return inspect(ctx, binary)
	}
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "another program has changed") {
		t.Errorf("error %v", err)
	}
	h.expect("1.0.5")
}

// A binary that somebody else has left where the previous one is kept is not
// run, let alone installed.
func TestRollbackToAStranger(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(previousPath(h.target), 4711, 4711); err != nil {
		t.Fatal(err)
	}
	ran := false
	h.config.Inspect = func(ctx context.Context, binary string) ([]byte, error) {
		ran = ran || binary == previousPath(h.target)
		return inspect(ctx, binary)
	}
	if _, err := h.updater().Rollback(t.Context(), false); err == nil || !strings.Contains(err.Error(), "belongs neither to you") || ran {
		t.Errorf("error %v, it was run: %v", err, ran)
	}
	h.expect("1.1.0", "lectern.prev")
}
