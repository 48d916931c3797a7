package loader

import "reflect"

// Models holds the declared models of each kind, by name.
type Models struct {
	Generator map[string]Model `yaml:"generator" help:"Models that answer."`
	ASR       map[string]Model `yaml:"asr" help:"Recognisers: speech to text."`
	TTS       map[string]Model `yaml:"tts" help:"Synthesisers: text to speech."`
	Realtime  map[string]Model `yaml:"realtime" help:"Models that hear and speak by themselves."`
	Segmentor map[string]Model `yaml:"segmentor" help:"Models that divide a conversation into sections."`
	Profiler  map[string]Model `yaml:"profiler" help:"Models that note what is to be known of a user."`
	Labeler   map[string]Model `yaml:"labeler" help:"Models that label what was said."`
}

// Len is how many models there are of all kinds.
func (m Models) Len() int {
	return len(m.Generator) + len(m.ASR) + len(m.TTS) + len(m.Realtime) + len(m.Segmentor) + len(m.Profiler) + len(m.Labeler)
}

// Kind is what a model is for: the key under models.
type Kind string

// The kinds of models.
const (
	KindGenerator Kind = "generator"
	KindASR       Kind = "asr"
	KindTTS       Kind = "tts"
	KindRealtime  Kind = "realtime"
	KindSegmentor Kind = "segmentor"
	KindProfiler  Kind = "profiler"
	KindLabeler   Kind = "labeler"
)

// Model is a declared model.
type Model struct {
	// Engine is the engine or the provider that it comes from.
	Engine string
	// Settings is a value of the type that this one's Provider has.
	Settings any
}

// Provider is something that models of one kind can come from.
type Provider struct {
	Kind Kind
	// Engine is the name by which a model chooses it.
	Engine string
	// Remote tells a service on the network, which a model names with the key
	// "provider", from an engine in this process, which it names with "engine".
	Remote bool
	// Help says in a sentence what it is.
	Help string
	// Settings is a struct with the defaults of all settings. Its fields have the
	// tags of this package's schema: yaml, help, range, allow, form.
	Settings any
}

// Providers is everything that models can come from in one build.
type Providers []Provider

// of returns the providers of a kind.
func (ps Providers) of(kind Kind) []Provider {
	var of []Provider
	for _, p := range ps {
		if p.Kind == kind {
			of = append(of, p)
		}
	}
	return of
}

// word is the key by which a model names the provider.
func (p Provider) word() string {
	if p.Remote {
		return "provider"
	}
	return "engine"
}

func (p Provider) defaults() reflect.Value { return reflect.ValueOf(p.Settings) }

// SettingsOf returns the settings of a model as those of a certain engine, and
// whether they are; if not, the zero value.
func SettingsOf[S any](m Model) (S, bool) {
	settings, ok := m.Settings.(S)
	return settings, ok
}
