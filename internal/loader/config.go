package loader

import "time"

// Config is the whole configuration. The tags of its fields are the schema: from
// them come what is read, what is checked, the JSON Schema, and the reference in
// docs/configuration.md. See shape.
type Config struct {
	Server    Server             `yaml:"server" help:"The process: where it listens, whom it lets in, what it writes."`
	Models    Models             `yaml:"models" help:"The models, by kind and name. A profile refers to them by name."`
	Profiles  map[string]Profile `yaml:"profiles" reload:"yes" help:"How devices are served, by name. The profile default serves devices that name none. A profile begins with the built-in values, whatever another one sets."`
	Devices   map[string]Device  `yaml:"devices" reload:"yes" help:"The known devices, by their id."`
	Log       Log                `yaml:"log" help:"The session log: how much of it is kept, and where. Standard output has it in any case."`
	Operators Operators          `yaml:"operators" help:"The operators' HTTP API: edged tail, edged sessions."`
}

// DefaultProfile is the profile of devices that name none.
const DefaultProfile = "default"

// Server configures the process.
type Server struct {
	Listen       string            `yaml:"listen" form:"address" help:"Where devices connect, as host:port. Port 0 takes a free one."`
	Public       bool              `yaml:"public" help:"Admits listening beyond loopback without authentication."`
	Anonymous    bool              `yaml:"anonymous" help:"Admits devices without a token, under the profile default."`
	Origins      []string          `yaml:"origins" form:"origin" help:"The browser origins that may connect, such as https://panel.example. Devices send none."`
	MaxSessions  int               `yaml:"max_sessions" range:"1..100000" help:"How many devices may be connected."`
	HelloTimeout time.Duration     `yaml:"hello_timeout" range:"100ms..5m" help:"How long a new connection may take to say hello."`
	IdleTimeout  time.Duration     `yaml:"idle_timeout" range:"1s..24h" help:"How long a connection may send nothing at all."`
	SigningKeys  map[string]Secret `yaml:"signing_keys" range:"32..4096" reload:"yes" help:"Keys that verify short-lived device tokens (edged token), by key id: 32 random bytes or more. The id that sorts last signs."`
	Transcripts  bool              `yaml:"transcripts" help:"Writes what people said and were told into the session log."`
	JournalDir   string            `yaml:"journal_dir" help:"The directory for the journal of each session, for edged replay. It holds what people said. Empty writes none."`
	Limits       Limits            `yaml:"limits" help:"What one device, or one address, may ask of the server."`
}

// Limits bound what one device, or one address, may ask of the server.
type Limits struct {
	SessionsPerAddress int     `yaml:"sessions_per_address" range:"0..100000" help:"How many devices of one address may be connected. 0 sets no bound of its own."`
	ConnectsPerMinute  int     `yaml:"connects_per_minute" range:"0..100000" help:"How many connections one address may begin in a minute. 0 sets no bound."`
	ControlPerSecond   int     `yaml:"control_per_second" range:"10..10000" help:"How many control messages one device may send in a second."`
	AudioRate          float64 `yaml:"audio_rate" range:"1.5..100" help:"How much audio one device may send, as a multiple of real time."`
}

// Log configures the session log. Standard output has it in any case.
type Log struct {
	KeepEvents int    `yaml:"keep_events" range:"100..10000000" help:"How many events are kept in memory for operators."`
	KeepBytes  int    `yaml:"keep_bytes" range:"65536..1073741824" help:"How many bytes of events are kept in memory for operators."`
	File       string `yaml:"file" help:"The file that has the session log as well. Empty writes none."`
	FileBytes  int    `yaml:"file_bytes" range:"65536..1073741824" help:"The size at which the file is put aside (FILE.1, FILE.2 and so on) and a new one begun."`
	Files      int    `yaml:"files" range:"1..100" help:"How many log files there are at most, the present one included."`
}

// Operators configures the operators' HTTP API.
type Operators struct {
	Listen string `yaml:"listen" form:"address or nothing" help:"Their own host:port. Empty means that of the devices."`
	Token  Secret `yaml:"token" range:"16..4096" help:"What operators authenticate with, 16 random bytes or more. Without one the API is off, except on loopback, where the server makes a token for its own user."`
	Tails  int    `yaml:"tails" range:"1..1000" help:"How many tails may be open."`
}

// Device is a known device.
type Device struct {
	Token   Secret `yaml:"token" range:"16..4096" required:"yes" help:"What the device authenticates with: 16 random bytes or more, and no other device's."`
	Profile string `yaml:"profile" help:"The profile that it runs under."`
}

// Secret is a value that is taken from the environment ("$NAME" in the file)
// and never shown.
type Secret string

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }
