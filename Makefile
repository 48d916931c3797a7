# edged: build, run and test. On Debian 12 every target installs what it lacks
# first; see scripts/setup.

# A Go toolchain that set-up had to install comes first.
export PATH := $(CURDIR)/.cache/go/bin:$(PATH)
# nolibopusfile: the Opus binding is used for packets only, not for files.
export GOFLAGS := -tags=nolibopusfile -buildvcs=false
export GOTOOLCHAIN := local

LISTEN ?= 127.0.0.1:8080
FUZZTIME ?= 5s
BENCHTIME ?= 200ms

# What builds without C, so that a Go developer can import it without C.
PURE := ./ai/... ./audio/vad ./dialog ./firmware-protocol/wire ./realtime/... ./session/... \
	./transformers ./transformers/asr ./transformers/generate ./transformers/tts ./transformers/turn

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

.PHONY: setup setup-test
setup:
	@scripts/setup build
setup-test:
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
test: setup-test lint race allocs fuzz vectors ## run all tests

.PHONY: fmt
fmt: setup ## format the code
	@gofmt -w $$(git ls-files '*.go')

.PHONY: lint
lint: setup
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed:" $$unformatted; exit 1; fi
	go vet ./...
	go tool staticcheck ./...
	CGO_ENABLED=0 go build $(PURE)

.PHONY: race
race: setup-test
	go test -race -shuffle=on ./...

# Allocations are counted without the race detector, which allocates itself.
.PHONY: allocs
allocs: setup-test
	go test -run 'Alloc' $$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...)

.PHONY: fuzz
fuzz: setup-test ## run every fuzz target for FUZZTIME (default 5s)
	@scripts/fuzz $(FUZZTIME)

.PHONY: vectors
vectors: setup-test ## make the protocol vectors again and compare
	go run ./firmware-protocol/vectors/generate -out firmware-protocol/vectors
	git diff --exit-code -- firmware-protocol/vectors

.PHONY: bench
bench: setup-test ## run the benchmarks (BENCHTIME=...)
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

.PHONY: clean
clean: ## remove what was built
	@rm -rf bin demo
