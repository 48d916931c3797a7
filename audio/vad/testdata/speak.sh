#!/bin/sh
# Makes the speech clips of this directory with flite (Debian package flite) and
# sox. flite's output differs a little from run to run, so the clips are
# committed; run this only to replace them, and reference.py after it.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# speak VOICE NAME TEXT: one utterance, without the silence around it: the file
# starts and ends with the first and last millisecond above 1% of full scale.
# All clips have their peak at -6 dBFS.
speak() {
	flite -voice "$1" -t "$3" -o "$tmp/raw.wav"
	sox "$tmp/raw.wav" -r 16000 -c 1 -b 16 "$2.wav" norm -6 \
		silence 1 0.001 1% reverse silence 1 0.001 1% reverse
}
speak rms timer "set a timer for ten minutes"
speak slt weather "what is the weather like today"
speak awb joke "tell me a joke please"
speak rms no "no"
speak slt stop "stop"

# noisy.wav: 0.5 s, a question, 0.7 s, an answer, 0.6 s, a question; over all of
# it pink noise, 15 dB below the mean power of the speech.
sox -n -r 16000 -c 1 -b 16 "$tmp/pause5.wav" trim 0 0.5
sox -n -r 16000 -c 1 -b 16 "$tmp/pause6.wav" trim 0 0.6
sox -n -r 16000 -c 1 -b 16 "$tmp/pause7.wav" trim 0 0.7
sox "$tmp/pause5.wav" weather.wav "$tmp/pause7.wav" no.wav "$tmp/pause6.wav" joke.wav "$tmp/clean.wav"
rms=$(sox weather.wav -n stat 2>&1 | awk '/RMS.*amplitude/ {print $3}')
sox -R -n -r 16000 -c 1 -b 16 "$tmp/noise.wav" synth 5.4 pinknoise
noise=$(sox "$tmp/noise.wav" -n stat 2>&1 | awk '/RMS.*amplitude/ {print $3}')
gain=$(awk "BEGIN {print $rms / $noise * 10^(-15/20)}")
sox -m -v 1 "$tmp/clean.wav" -v "$gain" "$tmp/noise.wav" -c 1 -b 16 noisy.wav
