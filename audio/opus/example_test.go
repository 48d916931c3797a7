package opus_test

import (
	"fmt"

	"edged/audio"
	"edged/audio/opus"
)

// One packet of the three is lost on the way.
func Example() {
	encoder, err := opus.NewEncoder(opus.EncoderConfig{Rate: audio.Rate16k, FEC: true, ExpectedLoss: 10})
	if err != nil {
		panic(err)
	}
	decoder, err := opus.NewDecoder(audio.Rate16k, 1)
	if err != nil {
		panic(err)
	}
	var packets [3][]byte
	pcm := make([]int16, audio.Rate16k.Samples(60*1e6)) // 60 ms
	for i := range packets {
		packets[i] = make([]byte, opus.MaxPacket)
		n, err := encoder.Encode(packets[i], pcm)
		if err != nil {
			panic(err)
		}
		packets[i] = packets[i][:n]
	}
	duration, err := opus.Duration(packets[0])
	fmt.Println("a packet lasts", duration, err)

	n, err := decoder.Decode(pcm, packets[0])
	fmt.Println("decoded", n, err)
	fmt.Println("recovered", decoder.DecodeFEC(pcm, packets[2]))
	n, err = decoder.Decode(pcm, packets[2])
	fmt.Println("decoded", n, err)

	_, err = decoder.Decode(pcm, []byte("OggS\x00\x02"))
	fmt.Println(err)
	// Output:
	// a packet lasts 60ms <nil>
	// decoded 960 <nil>
	// recovered <nil>
	// decoded 960 <nil>
	// opus: this is an Ogg page, not a raw Opus packet: send the packets without their container
}
