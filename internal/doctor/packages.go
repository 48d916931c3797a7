package doctor

// The Debian packages that a fix may name. What the engines themselves miss, they
// name themselves.
const (
	packageZones        = "tzdata"
	packageTime         = "systemd-timesyncd"
	packageCapabilities = "libcap2-bin"
)

// install returns the command that installs a Debian package.
func install(name string) string { return "apt-get install " + name }

// Commands that make secrets, with nothing but what every Debian has: 24 random bytes
// are 32 characters of base64, which is what a signing key must have at least.
const (
	newToken = "head -c 24 /dev/urandom | base64"
	newKey   = "head -c 32 /dev/urandom | base64"
)

// export returns the command that puts a new token into an environment variable.
func export(variable string) string { return "export " + variable + "=$(" + newToken + ")" }

// replaceSecret is what to do about a secret that is no good.
func replaceSecret(key, command string) Fix {
	return Fix{Text: "put a new one into its environment variable; this makes one", Key: key, Command: command}
}
