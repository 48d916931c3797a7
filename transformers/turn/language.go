package turn

// The lists hold conjunctions, articles, prepositions, possessives, question words
// and auxiliaries that open a phrase, fillers, and the parts of numbers that more
// digits follow. Words that end sentences as often ("that", "it", "her", a German
// separable prefix such as "an") are left out: an error there costs a second in
// every such turn.

// English returns the Judge of English.
func English() Judge { return english.judge }

// German returns the Judge of German.
func German() Judge { return german.judge }

// Spanish returns the Judge of Spanish.
func Spanish() Judge { return spanish.judge }

// French returns the Judge of French.
func French() Judge { return french.judge }

// Chinese returns the Judge of Chinese, in simplified or traditional characters.
func Chinese() Judge { return chinese.judge }

// Japanese returns the Judge of Japanese.
func Japanese() Judge { return japanese.judge }

var english = newLexicon(
	`and, or, but, because, so, if, when, while, although, though, since, until, unless, whether, than, as, plus, nor,
	a, an, the, my, your, his, our, their, its, every, each, some, any, these, those, another,
	of, to, for, from, with, without, at, in, by, about, between, into, onto, through, during, against, near, behind, under, per, via,
	am, be, will, would, could, should, may, might, must, does, has, i'm, let's, what's, who's, where's, how's, would like,
	what is, who is, where is, when is, why is, how is, which is, there is, this is, what are, who are, where are, there are, what was, who was, there was,
	what, who, whose, which, where, how, why, how many, how much, how long, how far, how old,
	i, we, they, he, she, very, i want, i need, we need, remind me, tell me, show me, give me, read me, looking, set, convert, calculate,
	um, uh, uhm, erm, er, hmm, hm, like um, you know, i mean, well, let me see, let's see, let me think,
	twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety, hundred and, point, minus, times, divided, multiplied, percent of, negative`,
	"zero oh one two three four five six seven eight nine")

var german = newLexicon(
	`und, oder, aber, denn, weil, dass, wenn, als, ob, sondern, sowie, obwohl, damit, während, bis, bevor, nachdem, plus,
	der, die, das, den, dem, des, ein, eine, einen, einem, einer, eines, kein, keine, keinen,
	mein, meine, meinen, meinem, meiner, dein, deine, deinen, deinem, sein, seine, ihr, ihre, ihren, unser, unsere, jeder, jede, jedes,
	in, im, ins, von, vom, zu, zum, zur, für, bei, beim, nach, aus, am, über, unter, zwischen, ohne, gegen, durch, wegen, pro, seit, um,
	ist, sind, war, waren, bin, hat, haben, wird, werden, kann, könnte, können, soll, sollte, will, möchte, muss, darf,
	was, wer, wie, wo, warum, wann, welche, welcher, welches, wie viel, wie viele, wie lange,
	ich, wir, sehr,
	äh, ähm, öh, hm, hmm, also, naja, sagen wir, mal sehen, moment,
	komma, minus, mal, geteilt, geteilt durch, prozent von, hundertund, und zwanzig`,
	"null eins zwei zwo drei vier fünf sechs sieben acht neun")

var spanish = newLexicon(
	`y, e, o, u, pero, porque, que, si, cuando, aunque, mientras, sino, como, pues, más,
	el, la, los, las, un, una, unos, unas, mi, mis, tu, tus, su, sus, nuestro, nuestra, cada, otro, otra,
	de, del, a, al, en, con, sin, por, para, desde, hasta, entre, sobre, hacia, contra, según,
	cuál es, qué es, quién es, dónde está, cuáles son, era, ha, han, puede, puedes, podría, quiero, quisiera, necesito, voy a, tengo que,
	qué, quién, quiénes, cuál, cuáles, cómo, dónde, cuánto, cuánta, cuántos, cuántas, por qué,
	yo, muy,
	eh, em, este, pues, o sea, a ver, bueno,
	treinta, cuarenta, cincuenta, sesenta, setenta, ochenta, noventa, coma, menos, dividido, dividido por, por ciento de`,
	"cero uno dos tres cuatro cinco seis siete ocho nueve")

var french = newLexicon(
	`et, ou, mais, car, donc, parce que, que, qui, si, quand, comme, lorsque, puisque, bien que, plus, ni,
	le, la, les, l', un, une, des, du, mon, ma, mes, ton, ta, tes, son, sa, ses, notre, nos, votre, vos, leur, leurs, chaque, ce, cet, cette, ces,
	de, d', à, au, aux, en, dans, par, pour, sur, sous, avec, sans, vers, chez, entre, depuis, pendant, contre,
	est, sont, était, a, ont, peut, peux, pouvez, veux, voudrais, je voudrais, dois, est-ce que, c'est,
	quel, quelle, quels, quelles, où, comment, pourquoi, combien, combien de, quoi de,
	je, nous, très,
	euh, heu, ben, bah, alors, disons, voyons, enfin,
	vingt, trente, quarante, cinquante, soixante, quatre-vingt, quatre vingt, virgule, moins, fois, divisé, divisé par, pour cent de`,
	"zéro un deux trois quatre cinq six sept huit neuf")

var chinese = newSpaceless(
	`和 跟 与 與 及 或 或者 还是 還是 但 但是 可是 不过 不過 因为 因為 所以 如果 要是 虽然 雖然 而且 并且 並且 然后 然後 以及
	的 把 被 在 从 從 给 給 对 對 向 往 为 為 为了 為了 关于 關於 比 让 讓 用 到
	是 我 我想 我要 我们 我們 请 請 帮我 幫我 想 要 会 會 可以 一个 一個 这个 這個 那个 那個 一 每
	嗯 呃 啊那 就是 就是说 就是說 比如 比如说 比如說 什么样的 多少个 第 点零 點零 负 負 加 减 減 乘 乘以 除以 百分之`,
	"吗 嗎 呢 吧 谢谢 謝謝 什么 什麼 多少 几点 幾點 怎么样 怎麼樣",
	"零 一 二 三 四 五 六 七 八 九 幺")

var japanese = newSpaceless(
	`は が を に で と の へ から まで も や より とか けど けれど けれども だけど しかし でも だから それで そして または もし ので のに なら たら ながら て
	この その あの どの ある えっと ええと えーと あの あのー その まあ なんか
	第 マイナス 足す 引く 掛ける 割る 点 パーセント`,
	"です ます ました ません でした ください 下さい か ね よ ありがとう",
	"零 一 二 三 四 五 六 七 八 九 ゼロ")
