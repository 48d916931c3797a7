package vad

// SampleRate is the sample rate in Hz that the network is made for.
const SampleRate = 16000

// WindowSamples is how many new samples each call of Process takes: 32 ms.
const WindowSamples = 512

const (
	contextSamples = 64 // of the window before
	padSamples     = 64 // reflection of the window's end
	inputSamples   = contextSamples + WindowSamples
	paddedSamples  = inputSamples + padSamples
)

// Detector gives the probability of speech in each window of one audio stream.
// It remembers the stream: feed it every window in order, and Reset it before
// another stream or after a long hole. It serves one goroutine at a time.
type Detector struct {
	model *Model
	// state is the input of the LSTM cell: the features of this window, then
	// the cell's output of the window before.
	state [lstmInput]float32
	cell  [hidden]float32

	// input begins with the last samples of the window before.
	input   [paddedSamples]float32
	work    [frameSamples]complexF
	spectra [bins][columns]float32
	first   [conv0Out][columns]float32
	second  [2 * conv1Out]float32
	third   [conv2Out]float32
	blocks  [hidden][gates]float32
}

// NewDetector returns a Detector in its initial state. It holds about 13 KB.
func (m *Model) NewDetector() *Detector { return &Detector{model: m} }

// Reset forgets the audio heard so far.
func (d *Detector) Reset() {
	clear(d.state[:])
	clear(d.cell[:])
	clear(d.input[:])
}

// Process takes the next WindowSamples samples, 16 kHz mono, and returns the
// probability in [0, 1] that they hold speech. It keeps no reference to window
// and does not allocate. A window of any other length is a programming error
// and panics.
func (d *Detector) Process(window []int16) float32 {
	checkWindow(window)
	d.load(window)
	m := d.model
	m.spectrum.magnitudes(&d.spectra, &d.input, &d.work)
	copy(d.input[:contextSamples], d.input[WindowSamples:inputSamples])

	convolve4(&d.first, &d.spectra, m)
	convolve2(&d.second, &d.first, m)
	m.conv2.multiply(d.blocks[:conv2Out/4], d.second[:])
	unpack(d.third[:], d.blocks[:conv2Out/4])
	features, output := d.state[:conv3Out], d.state[conv3Out:]
	m.conv3.multiply(d.blocks[:conv3Out/4], d.third[:])
	unpack(features, d.blocks[:conv3Out/4])

	m.lstm.multiply(d.blocks[:], d.state[:])
	logit := m.biasOut
	for j := range d.cell {
		in, forget, candidate, out := d.blocks[j][0], d.blocks[j][1], d.blocks[j][2], d.blocks[j][3]
		c := sigmoid(forget)*d.cell[j] + sigmoid(in)*tanh(candidate)
		h := sigmoid(out) * tanh(c)
		d.cell[j], output[j] = c, h
		logit += m.out[j] * relu(h)
	}
	return sigmoid(logit)
}

// load puts the window behind the context that is there already and the
// reflection of its end behind it.
func (d *Detector) load(window []int16) {
	convert(d.input[contextSamples:inputSamples], window)
	for i := range padSamples {
		d.input[inputSamples+i] = d.input[inputSamples-2-i]
	}
}

// convert scales samples to [-1, 1).
//
//go:norace
func convert(dst []float32, pcm []int16) {
	dst = dst[:len(pcm)]
	for i, s := range pcm {
		dst[i] = float32(s) * (1.0 / 32768)
	}
}

func checkWindow(window []int16) {
	if len(window) != WindowSamples {
		panic("vad: Process needs a window of exactly 512 samples")
	}
}
