package bundle

// LinkFlags are for the linker, in every binary that people get: no symbols, and
// functions at 16 bytes as C compilers place them, where Go's would be 32.
const LinkFlags = "-s -w -funcalign=16"

// coldPackages are compiled without inlining, which makes them smaller: they run seldom,
// or wait for something else. Scripts in TypeScript are translated in a process of its
// own, a database answers over a network, and the rest reads arguments, checks schemas
// and turns the text of cards into HTML.
var coldPackages = []string{
	"github.com/evanw/esbuild", "github.com/jackc", "github.com/yuin/goldmark", "github.com/spf13", "github.com/JohannesKaufmann",
	"github.com/microcosm-cc", "github.com/santhosh-tekuri",
}

// BuildFlags are the flags of go build for every binary that people get, without
// those for the linker. The Makefile and goreleaser.yaml have them too; a test compares.
func BuildFlags() []string {
	flags := []string{"-trimpath"}
	for _, pkg := range coldPackages {
		flags = append(flags, "-gcflags="+pkg+"/...=-l")
	}
	return flags
}
