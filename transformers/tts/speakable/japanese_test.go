package speakable_test

import "testing"

func TestJapanese(t *testing.T) {
	speaks(t, "ja", []row{
		{"plain words", "こんにちは、元気ですか？", "こんにちは、元気ですか？"},
		{"small numbers", "10個、11個、20個", "十個、十一個、二十個"},
		{"hundreds and thousands", "100、110、1000、1001、2026", "百、百十、千、千一、二千二十六"},
		{"myriads", "10000と123456789", "一万と一億二千三百四十五万六千七百八十九"},
		{"thousands separator", "1,234人", "千二百三十四人"},
		{"decimal", "3.14です", "三点一四です"},
		{"negative", "気温は-5度", "気温はマイナス五度"},
		{"ordinal", "第3位", "第三位"},
		{"date in characters", "2026年5月3日", "二千二十六年五月三日"},
		{"ISO date", "2026-05-03", "二千二十六年五月三日"},
		{"date with slashes", "2026/5/13", "二千二十六年五月十三日"},
		{"clock", "7:30に", "七時三十分に"},
		{"full hour", "19:00", "十九時"},
		{"morning", "7:30am", "午前七時三十分"},
		{"money", "$5と¥500", "五ドルと五百円"},
		{"euros behind", "20€", "二十ユーロ"},
		{"units", "5km、2kg", "五キロメートル、二キログラム"},
		{"temperature", "22.5°C", "二十二点五度"},
		{"percent", "50%", "五十パーセント"},
		{"fraction", "3/4", "四分の三"},
		{"range", "3-5日", "三から五日"},
		{"phone number", "03-1234-5678", "零三、一二三四、五六七八"},
		{"URL", "example.jpを見て", "exampleドットjpを見て"},
		{"e-mail", "info@example.jp", "infoアットexampleドットjp"},
		{"markdown", "**大事**：`コード`", "大事：コード"},
		{"signs", "2+2=4", "二プラス二イコール四"},
		{"emoji", "はい👍！", "はい！"},
		{"range with a wave", "3〜5日", "三から五日"},
	})
}
