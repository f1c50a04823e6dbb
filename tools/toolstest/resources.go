package toolstest

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/lectern-mcp/lectern/tools"
)

// maxCompletions is MCP's limit for one completion.
const maxCompletions = 100

// checkResourceReads reads every resource that the suite can find, and some
// that do not exist.
func checkResourceReads(s *suite) {
	s.Helper()
	src := s.open("one")
	for _, uri := range s.findURIs(src, "one") {
		c, err := src.Read(s.ctx(), uri)
		switch {
		case err != nil:
			s.Errorf("read %s: %v", uri, err)
		case c.Kind != tools.Embedded || c.URI != uri || c.MIME == "":
			s.Errorf("read %s: content has kind %q, URI %q and MIME %q", uri, c.Kind, c.URI, c.MIME)
		case c.Text != "" && c.Data != nil:
			s.Errorf("read %s: content has both text and data", uri)
		}
	}
	s.checkNotFound(src, "nobody://one/nothing")
	outside := src.outside()
	for _, r := range s.manifest.Resources {
		r = r.ForSource("one")
		if !r.IsTemplate() {
			continue
		}
		for _, text := range hostileTexts() {
			t, err := uritemplate.New(r.URI)
			if err != nil {
				s.Fatalf("resource %s: %v", r.Name, err)
			}
			values := uritemplate.Values{}
			for _, name := range t.Varnames() {
				values.Set(name, uritemplate.String(text))
			}
			uri, err := t.Expand(values)
			if err != nil {
				continue // text that no URI of this template can hold
			}
			s.readMaybe(src, uri)
		}
		s.readMaybe(src, strings.NewReplacer("{", "", "}", "").Replace(r.URI)+"/..%2f..%2fetc%2fpasswd")
	}
	if src.outside() != outside {
		s.Errorf("reading resources changed something outside of the source")
	}
}

// readMaybe reads a resource that may not exist.
func (s *suite) readMaybe(src source, uri string) {
	s.Helper()
	s.checkReadableError("read "+abbreviate(uri, 120), func() error {
		_, err := src.Read(s.ctx(), uri)
		return err
	})
}

// hostilePrompt renders a prompt with one argument replaced.
func (s *suite) hostilePrompt(src source, name string, args map[string]string, argument, text string) {
	s.Helper()
	args = maps.Clone(args)
	args[argument] = text
	s.checkReadableError("prompt "+name+" with "+argument+" "+abbreviate(text, 80), func() error {
		_, err := src.Prompt(s.ctx(), name, args)
		return err
	})
}

// checkReadableError checks that an error, if any, is readable for agents.
func (s *suite) checkReadableError(what string, call func() error) {
	s.Helper()
	_, err := s.recoverPanic(what, func() (tools.Result, error) { return tools.Result{}, call() })
	if e := tools.AsError(err); e != nil && (e.Code == tools.Internal || len(e.Message) > maxMessage) {
		s.Errorf("%s: not an error that an agent can read: %v", what, abbreviate(err.Error(), 300))
	}
}

func (s *suite) checkNotFound(src source, uri string) {
	s.Helper()
	if _, err := src.Read(s.ctx(), uri); err == nil || tools.AsError(err).Code != tools.NotFound {
		s.Errorf("read %s, which does not exist: want not_found, got %v", uri, err)
	}
}

// findURIs returns the URIs of a source's resources: those in its fixture and
// those that completion finds.
func (s *suite) findURIs(src source, name string) []string {
	s.Helper()
	uris := slices.Clone(src.URIs)
	for _, r := range s.manifest.Resources {
		r = r.ForSource(name)
		if !r.IsTemplate() {
			uris = append(uris, r.URI)
			continue
		}
		t, err := uritemplate.New(r.URI)
		if err != nil {
			s.Fatalf("resource %s: %v", r.Name, err)
		}
		if len(t.Varnames()) != 1 {
			continue
		}
		variable := t.Varnames()[0]
		for _, v := range s.complete(src, r.URI, variable, "") {
			uri, err := t.Expand(uritemplate.Values{variable: uritemplate.String(v)})
			if err != nil {
				s.Errorf("resource %s: completion %q does not fit the template: %v", r.Name, v, err)
				continue
			}
			uris = append(uris, uri)
		}
	}
	for _, uri := range uris {
		if u, err := url.Parse(uri); err != nil || u.Scheme == "" {
			s.Errorf("%s is not a URI", uri)
		}
	}
	return uris
}

// complete asks for proposals and checks their number.
func (s *suite) complete(src source, ref, argument, prefix string) []string {
	s.Helper()
	values, err := src.Complete(s.ctx(), ref, argument, prefix)
	if err != nil {
		s.Errorf("complete %s of %s from %q: %v", argument, ref, abbreviate(prefix, 80), err)
	}
	if len(values) > maxCompletions {
		s.Errorf("complete %s of %s: %d values, more than %d", argument, ref, len(values), maxCompletions)
	}
	return values
}

// checkPromptRendering renders every prompt, completes every argument, and
// omits required ones.
func checkPromptRendering(s *suite) {
	s.Helper()
	src := s.open("one")
	for _, p := range s.manifest.Prompts {
		args := s.fillPromptArguments(src, p)
		messages, err := src.Prompt(s.ctx(), p.Name, args)
		if err != nil || len(messages) == 0 {
			s.Errorf("prompt %s with %v: %d messages, error %v", p.Name, args, len(messages), err)
		}
		for i, m := range messages {
			if !isComplete(m.Content) {
				s.Errorf("prompt %s: message %d of kind %q lacks a field that its kind needs", p.Name, i, m.Content.Kind)
			}
		}
		for _, a := range p.Arguments {
			s.checkPromptArgument(src, p, args, a)
		}
	}
	if values := s.complete(src, "zz_nobody", "x", ""); len(values) > 0 {
		s.Errorf("complete for an unknown reference: %v", values)
	}
	if _, err := src.Prompt(s.ctx(), "zz_nobody", nil); err == nil || tools.AsError(err).Code != tools.NotFound {
		s.Errorf("prompt zz_nobody: want not_found, got %v", err)
	}
}

// checkPromptArgument sends hostile text as one argument, and then omits it.
func (s *suite) checkPromptArgument(src source, p tools.PromptInfo, args map[string]string, a tools.PromptArgument) {
	s.Helper()
	for _, text := range hostileTexts() {
		s.complete(src, p.Name, a.Name, text)
		s.hostilePrompt(src, p.Name, args, a.Name, text)
	}
	if !a.Required {
		return
	}
	without := maps.Clone(args)
	delete(without, a.Name)
	if _, err := src.Prompt(s.ctx(), p.Name, without); err == nil || tools.AsError(err).Code != tools.Invalid {
		s.Errorf("prompt %s without %s: want invalid, got %v", p.Name, a.Name, err)
	}
}

// fillPromptArguments fills every argument with the first proposal.
func (s *suite) fillPromptArguments(src source, p tools.PromptInfo) map[string]string {
	s.Helper()
	args := map[string]string{}
	for _, a := range p.Arguments {
		args[a.Name] = "x"
		if values := s.complete(src, p.Name, a.Name, ""); len(values) > 0 {
			args[a.Name] = values[0]
		}
	}
	return args
}
