package loader

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Models of every kind are declared in one way: by their engine or provider, with
// its settings, and credentials by the names of their variables.
func TestKinds(t *testing.T) {
	const declared = `
models:
  %s:
    cloud:
      provider: openai
      model: gpt-realtime
      base_url: wss://api.example/v2
      api_key: $KEY
`
	for _, kind := range []Kind{KindGenerator, KindASR, KindTTS, KindRealtime, KindSegmentor, KindProfiler, KindLabeler} {
		t.Run(string(kind), func(t *testing.T) {
			e, err := Read(Sources{Providers: everyKind(), File: file(t, fmt.Sprintf(declared, kind)), Environ: []string{"KEY=sk-secret"}})
			if err != nil {
				t.Fatal(err)
			}
			m := e.Config.Models
			models := map[Kind]map[string]Model{
				KindGenerator: m.Generator, KindASR: m.ASR, KindTTS: m.TTS, KindRealtime: m.Realtime,
				KindSegmentor: m.Segmentor, KindProfiler: m.Profiler, KindLabeler: m.Labeler,
			}[kind]
			want := Model{"openai", serviceSettings{Model: "gpt-realtime", BaseURL: "wss://api.example/v2", Voice: "alloy", APIKey: "sk-secret"}}
			if models["cloud"] != want {
				t.Errorf("models.%s.cloud = %#v, want %#v", kind, models["cloud"], want)
			}
			if settings, ok := SettingsOf[serviceSettings](models["cloud"]); !ok || settings.APIKey.Reveal() != "sk-secret" {
				t.Errorf("its settings are not those of the service: %v, %v", settings, ok)
			}
			if _, ok := SettingsOf[Flite](models["cloud"]); ok {
				t.Error("its settings are those of a voice")
			}
			if shown := fmt.Sprintf("%v %+v %#v", models, models, models); strings.Contains(shown, "sk-") {
				t.Errorf("the credential shows itself: %s", shown)
			}
		})
	}
}

// Each row is one mistake in a model, and what its author is told.
func TestModelProblems(t *testing.T) {
	tests := []struct {
		name, file string
		key        string
		says       string
		allowed    string
	}{
		{"unknown provider", "models: {realtime: {x: {provider: acme, api_key: $KEY}}}", "models.realtime.x.provider", `"acme" is not known`, "openai"},
		{"unknown engine beside a provider", "models: {asr: {x: {engine: whisper}}}", "models.asr.x.engine", `"whisper" is not known`, "engine: pocketsphinx, provider: openai"},
		{"a provider as an engine", "models: {realtime: {x: {engine: openai}}}", "models.realtime.x.engine", `"openai" is not known`, "provider: openai"},
		{"no provider", "models: {realtime: {x: {model: m}}}", "models.realtime.x", "names no engine or provider", "provider: openai"},
		{"both", "models: {asr: {x: {engine: pocketsphinx, provider: openai}}}", "models.asr.x.provider", "beside engine", "one of the two"},
		{"a list for a provider", "models: {realtime: {x: {provider: [openai]}}}", "models.realtime.x.provider", "a list does not fit", "text"},
		{"no credential", "models: {labeler: {x: {provider: openai, model: m}}}", "models.labeler.x", "has no api_key", "$NAME"},
		{"no model", "models: {labeler: {x: {provider: openai, api_key: $KEY}}}", "models.labeler.x", "has no model", "model: text"},
		{"a credential in the file", "models: {profiler: {x: {provider: openai, model: m, api_key: sk-1}}}", "models.profiler.x.api_key", "must not stand", "$NAME"},
		{"a credential that is not there", "models: {profiler: {x: {provider: openai, model: m, api_key: $NONE}}}", "models.profiler.x.api_key", "NONE is not set", ""},
		{"a key of another engine", "models: {tts: {x: {engine: flite, base_url: 'http://h'}}}", "models.tts.x.base_url", "not a known key", "engine, voice, language, stretch"},
		{"a relative URL", "models: {segmentor: {x: {provider: openai, model: m, base_url: v1, api_key: $KEY}}}", "models.segmentor.x.base_url", "not an absolute URL", "https://"},
		{"a name that cannot be one", "models: {tts: {a/b: {engine: flite}}}", "models.tts.a/b", "not a name", "letters"},
		{"an empty name", "models: {tts: {'': {engine: flite}}}", `models.tts.""`, "the name is empty", "a name"},
		{"a model that is text", "models: {tts: {x: flite}}", "models.tts.x", "does not fit", "a mapping"},
		{"an unknown kind", "models: {vision: {}}", "models.vision", "not a known key", "generator, asr, tts, realtime, segmentor, profiler, labeler"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(Sources{Providers: everyKind(), File: file(t, tt.file), Environ: []string{"KEY=sk-secret"}})
			var problems Problems
			if !errors.As(err, &problems) || len(problems) != 1 {
				t.Fatalf("err = %v, want one problem", err)
			}
			if p := problems[0]; p.Key != tt.key || p.Line != 1 || !strings.Contains(p.Message, tt.says) || !strings.Contains(p.Allowed, tt.allowed) {
				t.Errorf("%v; want key %q, line 1, %q, allowed %q", p, tt.key, tt.says, tt.allowed)
			}
		})
	}
}

// A build that has nothing for a kind says so.
func TestKindWithoutProvider(t *testing.T) {
	for _, kind := range []string{"realtime", "segmentor", "profiler", "labeler"} {
		_, err := load(t, "models: {"+kind+": {x: {provider: openai}}}", nil, nil)
		var problems Problems
		if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Key != "models."+kind+".x" ||
			!strings.Contains(problems[0].Message, "this build has no engine and no provider for models of the kind") {
			t.Errorf("%s: err = %v, want that this build has none", kind, err)
		}
	}
}

// A layer that names another engine replaces the model; what it leaves out comes
// from that engine.
func TestOtherEngine(t *testing.T) {
	cfg, err := Load(Sources{
		Providers: everyKind(), File: file(t, "models: {asr: {local: {engine: pocketsphinx, decoders: 5}}}\n"),
		Environ: []string{"EDGED_MODELS_ASR_LOCAL_API_KEY=$KEY", "EDGED_MODELS_ASR_LOCAL_MODEL=m", "EDGED_MODELS_ASR_LOCAL_PROVIDER=openai", "KEY=sk-secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Model{"openai", serviceSettings{Model: "m", BaseURL: "https://api.example/v1", Voice: "alloy", APIKey: "sk-secret"}}
	if cfg.Models.ASR["local"] != want {
		t.Errorf("models.asr.local = %#v, want %#v", cfg.Models.ASR["local"], want)
	}
}
