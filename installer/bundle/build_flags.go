package bundle

// LinkFlags are for the linker, in every binary that people get: no symbols, and
// functions at 16 bytes as C compilers place them, where Go's would be 32.
const LinkFlags = "-s -w -funcalign=16"

// coldPackages are compiled without inlining, which makes them smaller: they run seldom,
// or wait for something else. Scripts in TypeScript are translated in a process of its
// own, databases, other machines and applications answer over a connection, a person reads what
// the panel draws and decides what waits, the journal writes to a disk, and the rest reads
// arguments and configuration, checks schemas, installs, merges, turns pages and cards into
// HTML, and exchanges keys and checks signatures once a connection.
var coldPackages = []string{
	"github.com/evanw/esbuild", "github.com/jackc", "github.com/yuin/goldmark", "github.com/spf13",
	"github.com/JohannesKaufmann", "github.com/microcosm-cc", "github.com/aymerick", "github.com/gorilla",
	"golang.org/x/net", "github.com/santhosh-tekuri", "github.com/google/jsonschema-go", "github.com/pelletier",
	"github.com/tailscale", "github.com/golang-jwt", "github.com/minio", "aead.dev", "golang.org/x/mod", "github.com/xo",
	"crypto/tls", "crypto/x509", "encoding/xml", "debug/dwarf", "net/http", "github.com/lectern-mcp/lectern/cmd/lectern",
	"github.com/lectern-mcp/lectern/config", "github.com/lectern-mcp/lectern/installer",
	"github.com/lectern-mcp/lectern/supervisor", "github.com/lectern-mcp/lectern/tools/cards", "github.com/lectern-mcp/lectern/tools/logseq",
	"github.com/lectern-mcp/lectern/tools/org/internal/orgexport",
	"github.com/lectern-mcp/lectern/bridge", "github.com/lectern-mcp/lectern/internal/textmerge",
	"github.com/lectern-mcp/lectern/internal/typescript", "github.com/lectern-mcp/lectern/tools/markdown/internal/editordoc",
	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror", "github.com/lectern-mcp/lectern/tools/markdown/internal/pagestore",
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagesync", "github.com/lectern-mcp/lectern/tools/org/internal/emacs",
	"github.com/lectern-mcp/lectern/tui", "github.com/lectern-mcp/lectern/status",
	"github.com/lectern-mcp/lectern/hub/approval", "github.com/lectern-mcp/lectern/journal", "charm.land",
	"crypto/internal/fips140/nistec", "crypto/internal/fips140/mlkem", "crypto/internal/fips140/bigmod", "crypto/internal/fips140/rsa",
	"crypto/internal/fips140/ecdsa", "crypto/internal/fips140/edwards25519", "crypto/internal/fips140/tls12",
	"crypto/internal/fips140/tls13", "encoding/asn1", "math/big",
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
