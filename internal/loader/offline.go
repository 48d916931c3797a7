package loader

// Offline returns the engines that need no network, with the defaults of their
// settings. They are what a build of edged has at the least.
func Offline() Providers {
	return Providers{
		{
			Kind: KindASR, Engine: "pocketsphinx", Help: "The offline recogniser: English, for what the offline model understands.",
			Settings: Pocketsphinx{Decoders: 2, Threshold: 0.55},
		},
		{
			Kind: KindGenerator, Engine: "rules", Help: "The offline model: answers by rules.",
			Settings: Rules{},
		},
		{
			Kind: KindTTS, Engine: "flite", Help: "The offline voice: English.",
			Settings: Flite{Voice: "rms", Language: "en", Stretch: 1},
		},
	}
}

// Pocketsphinx are the settings of the offline recogniser.
type Pocketsphinx struct {
	Decoders  int     `yaml:"decoders" range:"1..64" help:"How many utterances are recognised at once. Each takes about 100 MB."`
	ModelDir  string  `yaml:"model_dir" help:"Where the acoustic model lies. Empty means where Debian's pocketsphinx-en-us puts it."`
	Threshold float64 `yaml:"threshold" range:"0..1" help:"The greatest disagreement between the grammar's and the language model's reading at which the grammar's is believed."`
}

// Rules are the settings of the offline model.
type Rules struct {
	Timezone string `yaml:"timezone" form:"timezone" help:"The time zone of time and date, by its IANA name, such as Europe/Berlin. Empty means the machine's."`
}

// Flite are the settings of the offline voice.
type Flite struct {
	Voice    string  `yaml:"voice" allow:"rms,slt,awb,kal16" help:"Whose voice it is."`
	Language string  `yaml:"language" allow:"en,de,es,fr,zh,ja" help:"That of the texts, for sentences, numbers, dates and units. flite itself speaks English only."`
	Stretch  float64 `yaml:"stretch" range:"0.5..2" help:"The relative duration of speech: 1 is the voice's own pace, above it is slower."`
}
