package loader

// serviceSettings are those of a provider on the network.
type serviceSettings struct {
	Model   string `yaml:"model" required:"yes" help:"Which model."`
	BaseURL string `yaml:"base_url" form:"url" help:"Where the service is."`
	Voice   string `yaml:"voice" help:"Whose voice."`
	APIKey  Secret `yaml:"api_key" required:"yes" help:"The credential."`
}

// everyKind adds a service of each kind to the engines that need no network.
func everyKind() Providers {
	all := Offline()
	for _, kind := range []Kind{KindGenerator, KindASR, KindTTS, KindRealtime, KindSegmentor, KindProfiler, KindLabeler} {
		all = append(all, Provider{
			Kind: kind, Engine: "openai", Remote: true, Help: "A service.",
			Settings: serviceSettings{BaseURL: "https://api.example/v1", Voice: "alloy"},
		})
	}
	return all
}
