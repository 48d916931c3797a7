package opus

import libopus "github.com/hraban/opus"

// Version returns the name and version of the library, such as "libopus 1.3.1".
func Version() string { return libopus.Version() }
