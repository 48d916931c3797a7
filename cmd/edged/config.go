package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"

	"edged/internal/loader"
)

// providers is what models can come from in this build; loadEngines loads them.
func providers() loader.Providers { return loader.Offline() }

// configured are the flags of the commands that read a configuration.
type configured struct {
	Config  string            `placeholder:"PATH" help:"Configuration: a YAML file, or a directory of them. Without one, the built-in development settings are used."`
	EnvFile string            `placeholder:"FILE" help:"Read further environment variables from this file (NAME=value), also at a reload. Those of the process count before it."`
	Set     map[string]string `placeholder:"KEY=VALUE" help:"Set a key of the configuration, such as server.max_sessions=50. May be repeated."`
}

// sources are those that the flags name, with keys that other flags have set.
func (c *configured) sources(flags map[string]string) loader.Sources {
	all := maps.Clone(flags)
	if all == nil {
		all = make(map[string]string)
	}
	for key, value := range c.Set {
		if _, taken := all[key]; !taken {
			all[key] = value
		}
	}
	return loader.Sources{Providers: providers(), File: c.Config, EnvFile: c.EnvFile, Environ: os.Environ(), Flags: all}
}

// configCmd is "edged config".
type configCmd struct {
	Print  configPrintCmd  `cmd:"" help:"Print the configuration in force: every key with where its value comes from."`
	Schema configSchemaCmd `cmd:"" help:"Print the JSON Schema of a configuration, for editors."`
	Check  configCheckCmd  `cmd:"" help:"Check a configuration: every problem, and what is unwise."`
}

// configPrintCmd is "edged config print".
type configPrintCmd struct {
	configured
	JSON bool `name:"json" help:"Print a JSON array, one object for each key."`
}

// Run prints the configuration as a file that could take its place. Secrets are
// shown by the names of their variables.
func (c *configPrintCmd) Run(_ context.Context, out streams) error {
	effective, err := loader.Read(c.sources(nil))
	if err != nil {
		return err
	}
	if !c.JSON {
		return effective.WriteYAML(out.stdout)
	}
	return printJSON(out.stdout, effective.Settings())
}

// configSchemaCmd is "edged config schema".
type configSchemaCmd struct{}

// Run prints the schema.
func (c *configSchemaCmd) Run(_ context.Context, out streams) error {
	schema, err := loader.JSONSchema(providers())
	if err != nil {
		return err
	}
	_, err = out.stdout.Write(schema)
	return err
}

// configCheckCmd is "edged config check".
type configCheckCmd struct{ configured }

// Run prints every problem, one a line, and fails if there is one. Of a
// configuration that can be used it prints what is unwise, and a summary.
func (c *configCheckCmd) Run(_ context.Context, out streams) error {
	effective, err := loader.Read(c.sources(nil))
	var problems loader.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Fprintln(out.stdout, p)
		}
		fmt.Fprintf(out.stdout, "not ok: %s\n", amount(len(problems), "problem"))
		return errTold
	} else if err != nil {
		return err
	}
	for _, w := range effective.Warnings() {
		fmt.Fprintln(out.stdout, "warning:", w)
	}
	_, err = fmt.Fprintln(out.stdout, "ok:", summary(effective.Config))
	return err
}

// summary says in a line what a server with the configuration would be.
func summary(cfg *loader.Config) string {
	anonymous := "no anonymous devices"
	if cfg.Server.Anonymous {
		anonymous = "anonymous devices"
	}
	return fmt.Sprintf("listens on %s, %s, %s, %s, %s, %s", cfg.Server.Listen, amount(cfg.Models.Len(), "model"),
		amount(len(cfg.Profiles), "profile"), amount(len(cfg.Devices), "device"), amount(len(cfg.Server.SigningKeys), "signing key"), anonymous)
}

// amount is a number of things: "1 model", "2 models".
func amount(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
