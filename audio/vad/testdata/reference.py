#!/usr/bin/env python3
"""Writes the probabilities that the Go code is compared with.

Runs ../silero_vad.onnx with onnxruntime (pip install onnxruntime numpy; made
with onnxruntime 1.32.0, numpy 2.4.6, on one thread) over

  noisy.wav            of this directory
  goforward, librivox  human speech of the Debian package pocketsphinx-testdata

and writes NAME.prob beside this script: one line for each whole window of 512
samples, with the probability in nine significant digits, which is a float32
exactly.
"""

import pathlib

import numpy
import onnxruntime

here = pathlib.Path(__file__).parent
human = pathlib.Path("/usr/share/pocketsphinx/test/data")
clips = {
    "noisy": here / "noisy.wav",
    "goforward": human / "goforward.raw",
    "librivox": human / "librivox/sense_and_sensibility_01_austen_64kb-0880.wav",
}


def samples(path):
    """The s16le samples of a raw file, or of a WAV file's data chunk."""
    data = path.read_bytes()
    if path.suffix == ".wav":
        data = data[data.index(b"data") + 8 :]
    return numpy.frombuffer(data[: len(data) // 2 * 2], dtype="<i2").astype(numpy.float32) / 32768


options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
network = onnxruntime.InferenceSession(here.parent / "silero_vad.onnx", options, providers=["CPUExecutionProvider"])

for name, path in clips.items():
    x = samples(path)
    state = numpy.zeros((2, 1, 128), numpy.float32)
    context = numpy.zeros((1, 64), numpy.float32)
    with open(here / f"{name}.prob", "w") as out:
        for start in range(0, len(x) - 511, 512):
            window = numpy.concatenate([context, x[None, start : start + 512]], axis=1)
            probability, state = network.run(
                None, {"input": window, "state": state, "sr": numpy.array(16000, numpy.int64)}
            )
            context = window[:, -64:]
            print(f"{probability[0, 0]:.9g}", file=out)
