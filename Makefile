# edged: build, run and test. On Debian 12 every target installs what it lacks
# first; see scripts/setup.

# A Go toolchain that set-up had to install comes first.
export PATH := $(CURDIR)/.cache/go/bin:$(PATH)
# nolibopusfile: the Opus binding is used for packets only, not for files.
export GOFLAGS := -tags=nolibopusfile -buildvcs=false
export GOTOOLCHAIN := local
export CGO_ENABLED := 1

LISTEN ?= 127.0.0.1:8080
FUZZTIME ?= 1s
FUZZLONG ?= 2m
BENCHTIME ?= 200ms
TARGETS ?= demo test
REJECTION_SPLIT ?= held-out

# What builds without C, so that a Go developer can import it without C.
PURE := ./ai/... ./audio/vad ./dialog ./firmware-protocol/wire ./realtime/... ./session/... \
	./transformers ./transformers/asr ./transformers/generate ./transformers/tts ./transformers/tts/speakable ./transformers/turn

GO_FILES = $$(find . -name '.?*' -prune -o -name '*.go' -print)

# The go command uses all processors by itself; two of it only compete, and
# under make -j the cheap checks would no longer come first.
.NOTPARALLEL:

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

.PHONY: setup setup-test
setup: ## install what is missing to build and run
	@scripts/setup build
setup-test: ## install what is missing to test as well
	@scripts/setup test

.PHONY: build
build: setup ## build bin/edged
	@go build -o bin/ ./cmd/edged

.PHONY: demo
demo: build ## ask recorded questions over a real socket and show the answers
	@scripts/demo

.PHONY: run
run: build ## start the server and leave it up (LISTEN=host:port)
	@bin/edged serve --listen $(LISTEN)

.PHONY: test
test: setup-test lint allocs race fuzz ## run all tests, the quick ones first

.PHONY: fmt
fmt: setup ## format the code
	@gofmt -w $(GO_FILES)

.PHONY: lint
lint: setup ## check format, go vet, staticcheck and the build without C
	@unformatted=$$(gofmt -l $(GO_FILES)) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed (make fmt):" $$unformatted; exit 1; fi
	CGO_ENABLED=0 go build $(PURE)
	go vet ./...
	go tool staticcheck ./...

# Tests that say !race are about memory, of which the race detector takes its own.
.PHONY: allocs
allocs: setup-test ## run the tests of allocations, without the race detector
	@set -e; files=$$(grep -rlE --include='*_test.go' --exclude-dir='.?*' '^//go:build .*!race' .); \
	tests=$$(sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' $$files | sort -u | paste -sd '|'); \
	echo "go test -run '^($$tests)\$$'"; \
	go test -run "^($$tests)\$$" $$(dirname $$files | sort -u)

.PHONY: race
race: setup-test ## run the tests under the race detector, in random order
	go test -race -shuffle=on ./...

.PHONY: fuzz fuzz-long
fuzz: setup-test ## run every fuzz target for FUZZTIME (default 1s)
	@scripts/fuzz $(FUZZTIME)
fuzz-long: setup-test ## run every fuzz target for FUZZLONG (default 2m), going on from its last run
	@scripts/fuzz $(FUZZLONG) .cache/fuzz

.PHONY: vectors
vectors: setup ## write the protocol vectors, after one was added
	@go run ./firmware-protocol/vectors/generate -out firmware-protocol/vectors
	@git status --short -- firmware-protocol/vectors

.PHONY: bench
bench: setup-test ## run the benchmarks (BENCHTIME=200ms)
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

# The whole of what the tests do in a short form.
.PHONY: endpointing impairment echo rejection
endpointing: setup-test ## cut-offs and end delays on 400 utterances with pauses, against a fixed 700 ms (8 minutes)
	EDGED_ENDPOINTING=400 go test -v -timeout 60m -run TestAdaptiveHold ./internal/endpointing
impairment: setup-test ## ask over every bad network: loss, bursts, jitter, packet lengths (15 minutes)
	EDGED_FULL=1 go test -v -timeout 60m -run Impairments ./cmd/edged
echo: setup-test ## the echo guard with every voice, room, delay and level (5 minutes)
	EDGED_FULL=1 go test -v -timeout 60m -run 'OwnVoice|Talker' ./audio/echo

rejection: setup ## words wrong in commands, and what else is declined: REJECTION_SPLIT=held-out, all speakers and conditions (1 hour)
	@scripts/setup rejection
	@mkdir -p .cache/rejection
	@rm -f .cache/rejection/$(REJECTION_SPLIT).jsonl
	nice -n 15 go run ./internal/rejection/measure -split $(REJECTION_SPLIT) -out .cache/rejection/$(REJECTION_SPLIT).jsonl

.PHONY: fresh
fresh: ## make TARGETS (default "demo test") in a bare Debian 12, as root
	@scripts/fresh $(TARGETS)

.PHONY: clean
clean: ## remove what was built
	@rm -rf bin demo
