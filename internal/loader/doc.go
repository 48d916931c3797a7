// Package loader reads the configuration of the server.
//
// A configuration is made of layers, each of which may set any key again:
//
//	built-in defaults  <  file (--config)  <  environment  <  flags
//
// Without a file, the built-in development settings stand in for it: anonymous
// devices are admitted on loopback and the log holds transcripts.
//
// The environment variable of a key is EDGED_ and its path in capitals, joined
// by underscores: server.max_sessions is EDGED_SERVER_MAX_SESSIONS, and a name
// in the path is written likewise (models.asr.local.decoders is
// EDGED_MODELS_ASR_LOCAL_DECODERS). A value is read as YAML.
//
// Reading is strict: an unknown key, a value of the wrong type or an impossible
// value is a Problem, with the place, the key and what is allowed. Load finds
// them all before it gives up.
//
// Secrets are written as $NAME and taken from that environment variable.
package loader
