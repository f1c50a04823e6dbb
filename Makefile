# Lectern. `make` alone lists the targets; CI runs .ci/run, and that only what is here.

SHELL    := bash
CACHE    := $(CURDIR)/.cache
LINT     := $(CACHE)/bin/golangci-lint
FUZZTIME ?= 60s
PACKAGES ?= ./...
SYSTEMS  := linux darwin windows

# Tests have a home folder, a language and a time zone of their own. Go's caches are where they always are.
HERMETIC = export GOCACHE="$$(go env GOCACHE)" GOMODCACHE="$$(go env GOMODCACHE)" HOME=$(CACHE)/home LC_ALL=C.UTF-8 TZ=UTC; \
	unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR LECTERN_HOME; mkdir -p "$$HOME"; . $(CACHE)/needs.env

export CGO_ENABLED := 0

.PHONY: help check test needs needed test-go test-plugin ci lint race sequences snapshot conformance test262 bench oracle \
	screens update fuzz fuzz-smoke lines plugin install size soak

help:
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## before every commit, within a minute: vet, the rules of the house, unit tests of what changed since BASE
	go vet ./...
	go test ./internal/house $$(.ci/changed $(BASE)) -short

# The plugin's tests mostly wait, so they run beside those of Go.
test: ## all tests, a sample of what takes long (LECTERN_TURN=n or all); names what it skipped
	@$(MAKE) --no-print-directory -j 2 test-go test-plugin
	@sed 's/^/SKIPPED /' $(CACHE)/skipped
	@if [ -s $(CACHE)/apt ]; then echo "make needs installs what is missing: $$(sort -u $(CACHE)/apt | tr '\n' ' ')"; fi

needs: ## install by apt what the tests need besides Go
	@.ci/needs install

needed:
	@.ci/needs

# Tests wait a good part of their time, so twice as many packages run beside each other as there are cores.
BESIDE   = -p $$(( $$(getconf _NPROCESSORS_ONLN) * 2 ))
GO_TEST  = set -o pipefail; go test -v $(BESIDE) -timeout 30m
test-go: needed
	@echo "go test"; $(HERMETIC); $(GO_TEST) $(PACKAGES) 2>&1 | .ci/summary

# Behind a hub, a third of the files by turn: that is the plugin, the bridge and the tools once more, in many processes.
test-plugin: needed
	@$(HERMETIC); if [ -n "$$PLUGIN" ]; then \
		echo "plugin: its own tests, in a browser, and behind a hub"; npm run --prefix plugin check && \
		go build -o $(CACHE)/bin/lectern ./cmd/lectern && npm test --prefix plugin && npm run --prefix plugin test:chromium && \
		LECTERN_BIN=$(CACHE)/bin/lectern WHOLE="$$(cd plugin/test/whole && ls *.test.ts | awk -v turn="$${LECTERN_TURN:-0}" \
			'turn == "all" || NR % 3 == turn % 3 { sub(/ts$$/, "mjs"); print "build/whole/" $$0 }' | xargs)" \
			npm run --prefix plugin test:whole; fi

ci: ## what CI runs: test, lint, snapshot and race, with the seconds of each; LECTERN_TURN repeats a run
	@.ci/run

# golangci-lint has the analyzers of go vet too, all of them, for the system that it runs on; so no test of `make ci` needs
# its own. The other systems are vetted as a release is built, which finds compiled then what it needs.
lint: $(LINT) ## go vet for the other operating systems, tidy modules, golangci-lint as pinned in .ci/dev.mod
	@for os in $(filter-out $(shell go env GOOS),$(SYSTEMS)); do echo "go vet ($$os)"; GOOS=$$os go vet -trimpath ./... || exit 1; done
	go mod tidy -diff
	$(LINT) run ./...

$(LINT): .ci/dev.mod .ci/dev.sum
	go build -modfile=.ci/dev.mod -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# SQLite is C translated to Go: its memory is none that the race detector knows, and to ask it about each access
# takes most of the time of tests that use a database. Hashing a password is slow on purpose, and shares nothing. Nor does
# the generation of code by which each process with a workspace compiles an interpreter; the engine that runs it is watched.
UNWATCHED := modernc.org/sqlite/lib golang.org/x/crypto/... github.com/tetratelabs/wazero/internal/engine/wazevo/ssa \
	github.com/tetratelabs/wazero/internal/engine/wazevo/backend/...
# Go before 1.27 lets several threads run timers of one synctest bubble as one of the detector's threads, which ends in a
# SIGSEGV within the detector (go.dev/issue/78156): one processor runs them one after the other. The order that the detector
# knows is that of locks and channels, whatever runs at the same moment.
race: needed ## tests in which something happens at once, under the race detector, a third of most (LECTERN_TURN)
	@$(HERMETIC); if [ -n "$$RACE" ]; then \
		echo "go test -race"; export CGO_ENABLED=1 LECTERN_CONFORMANCE= LECTERN_PARSER_TESTS=; \
		watch() { [ -z "$$2" ] || $(GO_TEST) -race -cpu 1 $(UNWATCHED:%=-gcflags=%=-race=false) $$1 $$2; }; \
		now=$$(.ci/race) && changed=$$(.ci/race changed) || exit 1; \
		{ watch "" "$$now"; watch -short "$$changed"; } 2>&1 | .ci/summary; fi

sequences: ## 1,000 (SEQUENCES=n) random sequences of two agents and a person, undone
	export SEQUENCES=$${SEQUENCES:-1000}; \
	go test -count=1 -run '^Test(Suite|SuiteOfDBGraphs|System)$$/^sequences$$' ./tools/... && \
	go test -count=1 -run '^TestSequencesThroughTheHub$$' ./hub

snapshot: ## the archives of a release for all six systems (TARGETS="linux/amd64 ..."), checked
	LECTERN_RELEASE=1 go test -count=1 ./cmd/release
	@if command -v goreleaser >/dev/null && [ -z "$$CI" ]; then \
		goreleaser release --snapshot --clean $$([ -n "$$MINISIGN_KEY" ] || echo --skip=sign); \
	else go run ./cmd/release build 0.0.0-snapshot $(TARGETS) && cd $(CACHE)/release && sha256sum -c checksums.txt; fi

soak: ## long forms of tests, by PART; without it, names them
	@.ci/soak $(PART)

conformance: ## the official MCP suite against a hub, every scenario shown
	@.ci/needs
	. $(CACHE)/needs.env && go test -count=1 -v -run TestConformance ./hub/mcp

test262: ## JavaScript in the sandbox against a checkout of tc39/test262: make test262 DIR=…; minutes
	LECTERN_TEST262=$(abspath $(DIR)) go test -count=1 -v -timeout 60m -run '^TestTest262$$' ./tools/workspace/internal/sandbox

bench: ## speed and memory, printed; no test depends on time
	go test -run '^$$' -bench . -benchmem ./...
	@.ci/needs; . $(CACHE)/needs.env && if [ -n "$$PLUGIN" ]; then \
		go build -o $(CACHE)/bin/lectern ./cmd/lectern && LECTERN_BIN=$(CACHE)/bin/lectern npm run --prefix plugin bench; fi

oracle: ## edits, agendas and exports of Org files compared with Emacs byte for byte; needs emacs and faketime
	ORG_ORACLE=$${ORG_ORACLE:-5000} ORG_AGENDAS=$${ORG_AGENDAS:-2000} ORG_QUERIES=$${ORG_QUERIES:-3000} \
		go test -count=1 -v -timeout 30m -run '^Test(Oracle|AgendaOracle|AgendaCorpus|ClockOracle|Queries)$$' ./tools/org
	ORG_EXPORT=$${ORG_EXPORT:-300} \
		go test -count=1 -v -timeout 30m -run '^Test(ExportsLikeEmacs|HostileText)$$' ./tools/org/internal/orgexport

screens: ## redraw docs/screens: drives the panel in a terminal; needs tmux. BIN=FILE takes a program that is built already
	go run ./cmd/screens $(if $(BIN),-bin $(abspath $(BIN))) docs/screens

plugin: ## build the Logseq plugin again into plugin/dist and plugin.zip, which are committed
	npm ci --prefix plugin --no-audit --no-fund --ignore-scripts && npm run --prefix plugin build
	UPDATE=1 go test -count=1 -run '^TestCarriesWhatIsBuilt$$' ./plugin

install: ## lectern where go install puts programs
	@.ci/install

size: ## bytes of the binary for this machine, by package
	@.ci/size

update: ## rewrite every golden, snapshot and generated page; then read the difference
	UPDATE=1 go test ./...

fuzz-smoke: ## every fuzz test of Org files for 5 s
	@$(MAKE) --no-print-directory fuzz FUZZTIME=5s PACKAGES=./tools/org/...

fuzz: ## every fuzz test of PACKAGES (all) for FUZZTIME (60s) each
	@for p in $$(go list $(PACKAGES)); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
		done; done

lines: ## lines of product code by package
	@.ci/lines
