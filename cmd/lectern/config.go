package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// configExample is a configuration file with every key. What stands outside
// [[source]] are the defaults.
const configExample = `[hub]
port = 12740          # of http://127.0.0.1:PORT/mcp; never another one
http = true           # false: agents come over "lectern serve" alone
idle_after = "10m"    # leave when nobody is connected for so long; "0s": never
mark = true           # answers say that they are data and no instructions: in
                      # _meta "lectern/untrusted", and in a line behind the text
own_changes = false   # true: agents may list and undo what they changed
                      # themselves, by the tools list_changes and undo_change

[limits]
deadline = "30s"      # of one tool call
in_flight = 32        # calls of one agent at the same time; more wait
approval = "50s"      # how long a call waits for your yes; many clients give up
                      # after 60 s: set more where yours wait longer
calls_per_minute = 0  # of one client; 0: as many as it likes
session_writes = 0    # of one session; 0: as many as it likes
fuse_deletes = 100    # in a minute by one client, and then you are asked
fuse_bytes = 33554432 # rewritten in a minute by one client, likewise; 0: never

[journal]
keep = "90d"          # how long what agents change can be taken back
max_mb = 512          # how much of it is kept; the oldest makes room

[logseq]
plain_token = false   # true: a plugin that cannot prove its token may send it
origins = []          # of plugin pages that may connect besides Logseq's own

[update]
check = true          # the panel asks once a day whether there is a new version
mirror = ""           # an https URL to get releases from instead of GitHub
pin = ""              # the version that "lectern self-update" stays at

[[source]]            # one for each knowledge base
name = "notes"        # what agents call it: small letters, digits, hyphens
kind = "markdown"
path = "~/notes"      # or relative to this file
read_only = true      # agents may read and nothing else
effects = ["read"]    # or any of read, write, delete, run, admin; all but admin
                      # when neither this nor read_only is there
ask = ["read"]        # of these, what you are asked about first; see
                      # "lectern approve"
tenant = "acme"       # markdown: the folder below path that is the whole source
inbox = ["/tmp/in"]   # markdown: folders that attachments may be taken from

[[client]]            # what one client may do; "lectern grant" writes these
name = "claude-code"  # what it calls itself, or the name of its token
source = "notes"      # absent: every source
token = true          # only when it shows its token: "lectern client token NAME"
effects = ["read"]    # a client that shows no token never gets more than others
ask = ["read"]        # of these, what you are asked about first
elicit = false        # ask in the client too? by default where it shows its token

[[rule]]              # of those that fit, deny wins over always, ask and allow
do = "ask"            # allow, always (do not ask any more), ask or deny
client = "c*"         # patterns: * and ?; what is absent fits everything
proven = false        # true: fits clients that show their token alone
source = "notes"
effects = ["write", "delete"]
tool = "*_page"       # by its name in the documentation of the tools
path = "Journal/**"   # what the call would change, or names in its arguments
schema = ""           # fits while the tool is declared so; "always" notes it
`

// configCommand is a page of help, and the commands that read and write single
// keys.
func configCommand(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "The configuration file: every key and its default; read and set single keys",
		Long: "The configuration is in\n  " + w.places.File() + "\n" +
			"(LECTERN_HOME puts it, data and state under one directory). `lectern source add`\n" +
			"and `lectern config set` write it; what you write in it is kept, and a hub that\n" +
			"runs takes it over as soon as it is saved. Without a file the defaults hold and\n" +
			"a sample is served.\n\n" +
			"  " + strings.ReplaceAll(strings.TrimSpace(configExample), "\n", "\n  "),
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(configListCommand(w), configGetCommand(w), configSetCommand(w))
	return c
}
