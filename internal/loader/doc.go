// Package loader reads the configuration of the server.
//
// A configuration is made of layers, each of which may set any key again:
//
//	built-in defaults  <  file or directory (--config)  <  environment  <  flags
//
// Without a file, the built-in development settings stand in for it: anonymous
// devices are admitted on loopback and the log holds transcripts.
//
// # Documents
//
// A file may hold several YAML documents, and a directory holds files named *.yaml
// or *.yml. Together they are one layer: they may set different keys, but a key has
// one place, and so has a name (of a model, a profile, a device, a signing key) with
// all that belongs to it. What is hidden in a directory is left alone; anything else
// that is no document is a Problem.
//
// # Names
//
// A profile begins with the built-in values of the profile "default", a device with
// that profile, and a model with the defaults of its engine. Which engines and
// providers a build has is handed in as Providers; a model of another one, or of a
// kind that the build has none for, is a Problem. A layer that names another engine
// for a model of a layer below replaces it.
//
// # Environment
//
// The environment variable of a key is EDGED_ and its path in capitals, joined
// by underscores: server.max_sessions is EDGED_SERVER_MAX_SESSIONS, and a name
// in the path is written likewise (models.asr.local.decoders is
// EDGED_MODELS_ASR_LOCAL_DECODERS). A value is read as YAML. Secrets are written as
// $NAME and taken from that variable. Variables may stand in a file of their own,
// which is read anew at each reload.
//
// # Strictness
//
// An unknown key, a value of the wrong type or an impossible value, a name that
// nothing has, a credential that is not there: each is a Problem, with the place,
// the key and what is allowed. Load finds them all before it gives up, and nothing
// is skipped in silence.
//
// # One schema
//
// The types of Config and the tags of their fields are the schema; see shape for
// the tags. Reading, the ranges, the JSON Schema and the reference come from them,
// so that they cannot differ.
package loader
