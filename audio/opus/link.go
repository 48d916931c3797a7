package opus

/*
// libopus is bound by another package, which asks the linker for the shared
// library. The archive stands before that and resolves every name already; with
// --as-needed the program then does not depend on the shared library. See
// Building in doc.go.
#cgo LDFLAGS: -l:libopus.a -lm -Wl,--as-needed
*/
import "C"
