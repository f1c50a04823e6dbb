package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Verb of an Action.
type Verb string

// The verbs.
const (
	StartHub     Verb = "hub.start"
	StopHub      Verb = "hub.stop"
	RestartHub   Verb = "hub.restart"
	PinHub       Verb = "hub.pin"   // keep it running when idle, until it is unpinned
	UnpinHub     Verb = "hub.unpin" // let it stop when idle again
	AddSource    Verb = "source.add"
	SetSource    Verb = "source.set"
	RemoveSource Verb = "source.remove" // its files stay
	ReopenSource Verb = "source.reopen"
	Reload       Verb = "config.reload" // read the configuration file again

	SetGrant            Verb = "grant.set"      // what agents may do
	SetOption           Verb = "option.set"     // a key of the configuration
	AllowOrigin         Verb = "origin.allow"   // lets a plugin's page connect; Target: the origin
	RotateToken         Verb = "token.rotate"   // Target: "plugin" or "clients"
	Allow               Verb = "approval.allow" // Target: the Approval's ID
	Refuse              Verb = "approval.deny"  // Target: the Approval's ID
	MarkShown           Verb = "approval.shown" // Target: the ID of an Approval that a person was shown all of
	EndPermit           Verb = "approval.end"   // Target: the ID of a Permit; empty: all
	UndoChanges         Verb = "changes.undo"
	Disconnect          Verb = "session.disconnect"    // Target: the name of a Session
	CancelCall          Verb = "call.cancel"           // Target: the Name of a RunningCall
	PauseWrites         Verb = "writes.pause"          // Target: a client's name; empty: all agents
	ResumeWrites        Verb = "writes.resume"         // Target: a client's name; empty: all agents
	ResetCircuitBreaker Verb = "circuit-breaker.reset" // Target: the client's name
	Acknowledge         Verb = "problem.acknowledge"   // Target: the code of a Problem to dismiss
	CheckUpdate         Verb = "update.check"
	InstallUpdate       Verb = "update.install" // Target: a version; empty: the newest
	RollBack            Verb = "update.rollback"
	Install             Verb = "install"   // Target: the ID of an Installation
	Uninstall           Verb = "uninstall" // Target: the ID of an Installation
)

// ActionInfo is what is known of an action wherever it is carried out.
type ActionInfo struct {
	Verb Verb
	// Title is the action in words, for "done: …" and "cannot …". The words in
	// braces come from the Action; see [Action.Title].
	Title string
	// Asks: a person sees the Plan and agrees before anything happens.
	Asks bool
	// WithoutHub: it can be carried out while no hub is running.
	WithoutHub bool
}

// actions is the one table of actions. What carries one out registers its
// handler in the [ActionHandlers] of the process that can.
var actions = []ActionInfo{
	{Verb: StartHub, Title: "start the hub", WithoutHub: true},
	{Verb: StopHub, Title: "stop the hub", Asks: true},
	{Verb: RestartHub, Title: "restart the hub", Asks: true},
	{Verb: PinHub, Title: "keep the hub when idle"},
	{Verb: UnpinHub, Title: "let the hub stop when idle"},
	{Verb: AddSource, Title: "add {place}", Asks: true},
	{Verb: SetSource, Title: "change {target}", Asks: true},
	{Verb: RemoveSource, Title: "remove {target}", Asks: true},
	{Verb: ReopenSource, Title: "reopen {target}"},
	{Verb: Reload, Title: "read the configuration again"},
	{Verb: SetGrant, Title: "change what agents may do", Asks: true},
	{Verb: SetOption, Title: "set {option}", Asks: true},
	{Verb: AllowOrigin, Title: "let {target} in", Asks: true},
	{Verb: RotateToken, Title: "make a new token for the {target}", Asks: true, WithoutHub: true},
	{Verb: Allow, Title: "allow the call{scope}"},
	{Verb: Refuse, Title: "refuse the call"},
	{Verb: MarkShown, Title: "note that the call was shown"},
	{Verb: EndPermit, Title: "end the approval for ten minutes{permit}"},
	{Verb: UndoChanges, Title: "undo {changes}", Asks: true},
	{Verb: Disconnect, Title: "disconnect agent {target}", Asks: true},
	{Verb: CancelCall, Title: "cancel call {target}"},
	{Verb: PauseWrites, Title: "pause the writes of {agents}"},
	{Verb: ResumeWrites, Title: "let {agents} write again", Asks: true},
	{Verb: ResetCircuitBreaker, Title: "let {target} change things again without asking each time", Asks: true},
	{Verb: Acknowledge, Title: "dismiss the notice"},
	{Verb: CheckUpdate, Title: "look for a newer version", WithoutHub: true},
	{Verb: InstallUpdate, Title: "install version {target}", Asks: true, WithoutHub: true},
	{Verb: RollBack, Title: "go back to the previous version", Asks: true, WithoutHub: true},
	{Verb: Install, Title: "install {target}", Asks: true, WithoutHub: true},
	{Verb: Uninstall, Title: "uninstall {target}", Asks: true, WithoutHub: true},
}

// Info returns the row of v in the table of actions. A verb of another version
// is asked about, and its title is its name.
func (v Verb) Info() ActionInfo {
	if i := slices.IndexFunc(actions, func(a ActionInfo) bool { return a.Verb == v }); i >= 0 {
		return actions[i]
	}
	return ActionInfo{Verb: v, Title: string(v) + " {target}", Asks: true}
}

// An Action is something a person asked for.
type Action struct {
	Verb   Verb       `json:"verb"`
	Target string     `json:"target,omitempty"` // what it is about, by name; empty: the hub
	Source *NewSource `json:"source,omitempty"` // for AddSource
	// Change is for SetSource.
	Change *SourceChange `json:"change,omitempty"`
	// Data, for RemoveSource, removes what Lectern keeps for the source too.
	Data   bool    `json:"data,omitempty"`
	Answer *Answer `json:"answer,omitempty"` // for Allow and Refuse
	Filter *Filter `json:"filter,omitempty"` // for UndoChanges
	Grant  *Grant  `json:"grant,omitempty"`  // for SetGrant
	Option *Option `json:"option,omitempty"` // for SetOption
	// Sources are those that Install opens to a client, separated by commas;
	// empty: those that it has, or all.
	Sources string `json:"sources,omitempty"`
}

// AsksFirst reports whether a person is to see the plan before a is carried out.
// The plan of allowing a call is on the screen already, but not the rule that
// allowing it always adds.
func (a Action) AsksFirst() bool {
	return a.Verb.Info().Asks || a.Answer != nil && a.Answer.Scope == Always
}

// Title is what a does, in words: "remove notes".
func (a Action) Title() string {
	place, option, scope := "a source", "an option", ""
	if a.Source != nil {
		place = cmp.Or(a.Source.Location, a.Source.Name, a.Source.Kind)
	}
	if a.Option != nil {
		option = a.Option.Key
	}
	switch {
	case a.Answer == nil:
	case a.Answer.Scope == ForSession:
		scope = " until the session ends"
	case a.Answer.Scope == Timed:
		scope = ", and others for ten minutes"
	case a.Answer.Scope == Always:
		scope = ", and all like it"
	}
	permit := ""
	if a.Target != "" {
		permit = " " + a.Target
	}
	words := strings.NewReplacer("{permit}", permit, "{target}", a.Target, "{place}", place, "{option}", option, "{scope}", scope, "{agents}",
		cmp.Or(a.Target, "all agents"), "{changes}", a.Filter.title())
	return strings.TrimSpace(words.Replace(a.Verb.Info().Title))
}

// title is which changes f selects, in words.
func (f *Filter) title() string {
	switch {
	case f == nil:
		return "changes"
	case len(f.IDs) == 1:
		return "change " + f.IDs[0]
	case len(f.IDs) > 1:
		return fmt.Sprintf("%d changes", len(f.IDs))
	case f.Session != "":
		return "all of session " + f.Session
	default:
		return "changes"
	}
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// NewSource is a source to add.
type NewSource struct {
	Name string `json:"name,omitempty"` // empty: made from the folder's name
	Kind string `json:"kind,omitempty"` // empty: detected
	// Location is the folder to open; empty if Keys have it, or if the kind has
	// none.
	Location string `json:"location,omitempty"`
	// Keys are the configuration keys of the kind, as a person types them.
	Keys map[string]string `json:"keys,omitempty"`
	// Sample adds the sample that the kind brings instead.
	Sample   bool `json:"sample,omitempty"`
	ReadOnly bool `json:"read_only,omitempty"`
	Ask      bool `json:"ask,omitempty"` // a person is asked before anything is written
	// Exclude and Only are rules about what agents must not see, such as
	// "Private/**" and "#secret".
	Exclude []string `json:"exclude,omitempty"`
	Only    []string `json:"only,omitempty"`
}

// A SourceChange is what is to change in a source; its zero value changes nothing.
type SourceChange struct {
	Name     string `json:"name,omitempty"` // a new one; empty: it stays
	ReadOnly *bool  `json:"read_only,omitempty"`
	Ask      *bool  `json:"ask,omitempty"` // whether a person is asked before anything is written
	// Keys are those of the kind that change, as a person types them; an empty
	// text removes a key.
	Keys map[string]string `json:"keys,omitempty"`
	// Tools are those that agents see besides the kind's default list, "all" for
	// every one; empty: none; nil: they stay.
	Tools   []string   `json:"tools,omitzero"`
	Exclude RuleChange `json:"exclude,omitzero"`
	Only    RuleChange `json:"only,omitzero"`
}

// A RuleChange is what is to change in a list of privacy rules.
type RuleChange struct {
	Add     []string `json:"add,omitempty"`
	Remove  []string `json:"remove,omitempty"`
	Replace bool     `json:"replace,omitempty"` // Add is then the whole list
}

// A Grant says what agents may do.
type Grant struct {
	Client  string   `json:"client,omitempty"` // empty: every client
	Source  string   `json:"source,omitempty"` // empty: every source
	Effects []string `json:"effects"`          // everything that is granted
	Ask     []string `json:"ask,omitempty"`    // of these, what a person is asked about first
	// Role in the source, if its System has roles; empty: as it was. With a Role
	// and no Effects, what was granted stays too.
	Role  string `json:"role,omitempty"`
	Reset bool   `json:"reset,omitempty"` // instead: remove the grant of Client and Source
}

// An Option is a key of the configuration and its new value.
type Option struct {
	Key   string `json:"key"`   // "hub.port"
	Value string `json:"value"` // as a person types it; empty: the default
}

// A Plan is what an Action would change, for a person to agree to.
type Plan struct {
	Title string   `json:"title"` // "Remove source notes"
	Steps []Step   `json:"steps"`
	Risks []string `json:"risks"`         // "3 agents are connected and lose their tools"
	Cut   bool     `json:"cut,omitempty"` // part of what it would change is not in Steps
}

// A Step is one change of a Plan.
type Step struct {
	Description string `json:"what"`           // "edit /home/me/.config/lectern/config.toml"
	Diff        string `json:"diff,omitempty"` // unified diff; empty: not a text file
}

// ActionHandlers carry out the actions that a process can, by verb.
type ActionHandlers map[Verb]ActionHandler

// An ActionHandler carries out one kind of Action.
type ActionHandler struct {
	Preview func(context.Context, Action) (Plan, error) // nil: the title of the Action without steps
	Do      func(context.Context, Action) error
}
