package speakable_test

import "testing"

func TestChinese(t *testing.T) {
	speaks(t, "zh", []row{
		{"plain words", "你好，今天天气怎么样？", "你好，今天天气怎么样？"},
		{"small numbers", "10个，11个，20个", "十个，十一个，二十个"},
		{"holes", "101、110、1001和1010", "一百零一、一百一十、一千零一和一千零一十"},
		{"myriads", "10000、10500和123456789", "一万、一万零五百和一亿二千三百四十五万六千七百八十九"},
		{"thousands separator", "1,234", "一千二百三十四"},
		{"decimal", "圆周率是3.14。", "圆周率是三点一四。"},
		{"negative", "零下是-5", "零下是负五"},
		{"ordinal", "第3名", "第三名"},
		{"date in characters", "2026年5月3日", "二零二六年五月三日"},
		{"ISO date", "2026-05-03", "二零二六年五月三日"},
		{"date with slashes", "2026/5/13", "二零二六年五月十三日"},
		{"year", "1998年", "一九九八年"},
		{"clock", "7:30和19:05", "七点三十分和十九点零五分"},
		{"two o'clock", "2:00", "两点"},
		{"afternoon", "7:30pm", "下午七点三十分"},
		{"money", "$5和¥5.5", "五美元和五点五元"},
		{"euros behind", "20€", "二十欧元"},
		{"millions", "3万€", "三万欧元"},
		{"units", "5km，2kg，80km/h", "五公里，两公斤，八十公里每小时"},
		{"temperature", "22.5°C", "二十二点五摄氏度"},
		{"percent", "50%", "百分之五十"},
		{"fraction", "3/4", "四分之三"},
		{"range", "3-5天", "三到五天"},
		{"phone number", "010-12345678", "零一零，一二三四五六七八"},
		{"URL", "请看example.com。", "请看example点com。"},
		{"e-mail", "info@example.cn", "info艾特example点cn"},
		{"markdown", "**重要**：`代码`", "重要：代码"},
		{"signs", "2+2=4", "二加二等于四"},
		{"emoji", "好的👍！", "好的！"},
		{"two of something", "2个，2点半，2月", "两个，两点半，二月"},
		{"ratio", "3:2", "三比二"},
	})
}
