package rules

import (
	"fmt"
	"math/big"
	"strings"

	"edged/ai/match"
)

// sumFragments are the ways to ask for a result.
func sumFragments() map[string]string {
	return map[string]string{
		"ask":    "what is | how much is",
		"when":   "(when | if | once) [you]",
		"result": "have | get | give | tell | calculate | compute | solve | work | equal | equals | answer | result | add | math | sum | total | figure | make | come | question | problem | makes | evaluate | number | value | calculation | equation",
	}
}

// sumSkills do arithmetic.
func sumSkills() []skill {
	return []skill{
		{match.Rule{
			Name:     "sum.two",
			Patterns: []string{"[what is | how much is] {a:number} {op:operator} {b:number}"},
			Loose:    []string{"[<result>] {a:number} {op:operator} {b:number} [<result>]", "... {a:number} {op:clear} {b:number} [<result>]"},
		}, func(r *request) reply { return r.sumOf("a", "op", "b") }},
		{match.Rule{
			Name:     "sum.chain",
			Patterns: []string{"[what is | how much is] {a:number} {op:operator} {b:number} {op2:operator} {c:number}"},
			Loose: []string{
				"[<result>] {a:number} {op:operator} {b:number} [and | then | and then] {op2:operator} {c:number} [<result>]",
				"[<result>] {a:number} {op:operator} {b:number} {op2:operator} {c:number} {op3:operator} {d:number} [<result>]",
				"[<result>] {a:number} {op:operator} {b:number} {op2:operator} {c:number} {op3:operator} {d:number} {op4:operator} {e:number} [<result>]",
				"[<result>] {a:number} {op:operator} {b:number} {op2:operator} {c:number} {op3:operator} {d:number} {op4:operator} {e:number} {op5:operator} {f:number} [<result>]",
			},
		}, answerChain},
		{match.Rule{
			Name:  "sum.value",
			Exact: []string{"{a:number}", "(what is | calculate | how much is) {a:number}"},
		}, answerValue},
		{match.Rule{
			Name:     "sum.add",
			Patterns: []string{"add {a:number} (and | to) {b:number}", "what is the sum of {a:number} and {b:number}"},
			Loose: []string{
				"[<result>] [<when>] add [up | together] {a:number} (and | to | plus | with | onto | on to) {b:number} [together | up | <result>]",
				"[<result>] (sum | total | addition) {a:number} (and | plus | with) {b:number}",
				"(put | combine) {a:number} (and | with) {b:number} [together]",
				"{a:number} added to {b:number}",
				"{a:number} and {b:number} (added | together | combined | summed | <result>) [up | together]",
				"{a:number} more than {b:number}",
				"{a:number} more [on top of | added to] {b:number}",
				"[...] have {a:number} [and | then | and then] [get | add | buy | find | take | receive] {b:number} [more | others | extra] [<result> | total | altogether | together | in all]",
				"{a:number} increased by {b:number}",
				"[<result>] add {a:number} {b:number}",
				"add (up | together) {a:number} {b:number} (and) {c:number}",
				"(add | sum | total) [up | together] {a:number} {b:number} and {c:number}",
			},
		}, answerAdd},
		{match.Rule{
			Name:     "sum.subtract",
			Patterns: []string{"subtract {b:number} from {a:number}", "take {b:number} [away] from {a:number}"},
			Loose: []string{
				"[<result>] [<when>] (subtract | take | deduct | remove | minus | subtracting | taking) [away] {b:number} [away] from {a:number}",
				"[<result> | find] difference (between | of) {a:number} and {b:number}",
				"more (is | are) {a:number} than {b:number}",
				"... have {a:number} ... (eat | lose | spend | use | give away | give | remove | sell | drop | break | take away | throw away | take) {b:number} [left | remaining | remain | left over] [...]",
				"... have {a:number} [and | but | then | and then] (eat | lose | spend | use | give away | give | remove | sell | drop | break | take away | throw away | take) {b:number} [left | remaining | remain | left over]",
				"{b:number} (subtracted | taken | taken away | removed | deducted) from {a:number}",
				"{b:number} [less than | fewer than | from] {a:number}",
				"{a:number} (reduced | decreased | diminished) by {b:number}",
				"{a:number} [if you | and you] (subtract | take away | take off) {b:number}",
				"left [over] (if | when) {b:number} (subtracted | taken | is taken) [away] from {a:number}",
				"(left | remains | remain | stays) [over] (if | when) [you] (take | subtract | remove) [away] {b:number} [away] from {a:number}",
			},
		}, func(r *request) reply { return r.sumWith("a", "-", "b") }},
		{match.Rule{
			Name:     "sum.multiply",
			Patterns: []string{"multiply {a:number} (by | and) {b:number}"},
			Loose: []string{
				"[<result>] (multiply | multiplying) {a:number} (by | and | with | times) {b:number} [together | <result>]",
				"[<result> | find] product {a:number} and {b:number}",
				"{a:number} and {b:number} multiplied [together]",
				"[<result>] <when> multiply {a:number} (by | and | with) {b:number}",
				"[<result>] {a:number} [lots | groups | sets | packs] of {b:number}",
			},
		}, func(r *request) reply { return r.sumWith("a", "*", "b") }},
		{match.Rule{
			Name:     "sum.multiple",
			Patterns: []string{"(double | twice | half of) {a:number}"},
			Loose:    []string{"{times:multiple} {a:number}", "{a:number} {times:multiple}", "(twice | double) as much as {a:number}", "(fraction | part) {f:number} of {a:number}", "{f:number} of {a:number}", "[<result>] {f:number} [out] of {a:number} (people | dollars | bucks | euros)"},
		}, answerMultiple},
		{match.Rule{
			Name:     "sum.divide",
			Patterns: []string{"divide {a:number} by {b:number}"},
			Loose: []string{
				"[<result>] (divide | split | share | dividing | splitting | sharing) {a:number} [equally | evenly | dollars | up] (by | between | among | into | with | amongst) {b:number} [people | ways | parts | groups | pieces | friends | equally | evenly | persons | kids | children] [each] [get | gets | person] [each]",
				"(times | often) [does | can | will] {b:number} [go | goes | fit | fits] into {a:number}",
				"{a:number} [dollars] ((split | shared) [equally | evenly] by | (split | shared | divided) [equally | evenly] (between | among | into)) {b:number} [people | ways]",
				"[<result> | find] quotient {a:number} and {b:number}",
				"(times | often) does {b:number} fit [in] {a:number}",
				"many {b:number} (go | fit | are) [there] (into | in) {a:number}",
				"{a:number} split {b:number} ways",
				"[<result>] <when> divide {a:number} by {b:number}",
				"many times {b:number} (in | into) {a:number}",
			},
		}, func(r *request) reply { return r.sumWith("a", "/", "b") }},
		{match.Rule{
			Name:     "sum.percent",
			Patterns: []string{"[what is] {p:number} percent of {a:number}"},
			Loose: []string{
				"[<result>] {p:number} percent [of | out of] {a:number} [dollars | bucks | euros | pounds]",
				"{p:number} percent tip [on] [bill] {a:number} [dollars | bucks | bill]",
				"tip {p:number} percent [on] {a:number} [dollars | bucks | bill]",
				"(tip | tax) on {a:number} [dollars | bucks | bill] [bill] [at | of] {p:number} percent",
				"{p:number} percent (tip | tax | interest) (on | for | of) {a:number} [dollars]",
			},
		}, answerPercent},
		{match.Rule{
			Name: "sum.change",
			Loose: []string{
				"{p:number} percent {dir:off} {a:number} [dollars | bucks]",
				"{a:number} [dollars | bucks] {dir:off} {p:number} percent",
				"(increase | raise | grow) {a:number} {dir:byup} {p:number} percent",
				"(decrease | reduce | lower | discount | cut) {a:number} {dir:bydown} {p:number} percent",
				"{a:number} [dollars] with [a] {p:number} percent {dir:off}",
			},
		}, answerPercentChange},
		{match.Rule{
			Name: "sum.share",
			Loose: []string{
				"(percent | percentage) [of] {b:number} is {a:number}",
				"{a:number} is what (percent | percentage) of {b:number}",
				"(percent | percentage) is {a:number} [out] of {b:number}",
				"{a:number} out of {b:number} [as] [percent | percentage]",
				"{a:number} as [a] (percent | percentage) of {b:number}",
				"{a:number} of {b:number} (in percent | as [a] percentage | percentage)",
			},
		}, answerShare},
		{match.Rule{
			Name:     "sum.power",
			Patterns: []string{"[what is] {a:number} {pow:power}", "what is {a:number} to the power of {n:count}"},
			Loose: []string{
				"[<result>] {a:number} {pow:power} [<result>]",
				"{pow:power} [of] {a:number}",
				"{a:number} [raised] [to] [the] power [of] {n:number}",
				"{a:number} [raised] [to] [the] {o:ordinal} power",
				"{a:number} raised to {n:number}",
				"{a:number} to the {o:ordinal}",
				"{a:number} times itself",
				"{a:number} multiplied by itself",
				"(multiply | times) {a:number} by itself",
				"{a:number} to the {n:number}",
			},
		}, answerPower},
		{match.Rule{
			Name:     "sum.root",
			Patterns: []string{"what is the square root of {a:number}"},
			Loose:    []string{"[<result>] (square root | root | squareroot | sqrt) [of] {a:number} [<result>]", "{a:number} (square root | squareroot)", "[<result>] {cube:cube} root [of] {a:number}", "what (number | times) [times | by] itself (is | makes | equals | gives) {a:number}", "take the (square root | root) of {a:number}"},
		}, answerRoot},
		{match.Rule{
			Name:  "sum.factorial",
			Loose: []string{"{a:count} factorial", "factorial [of] {a:count}"},
		}, answerFactorial},
		{match.Rule{
			Name:  "sum.average",
			Loose: []string{"(average | mean) {a:number} and {b:number}", "(average | mean) {a:number} {b:number} and {c:number}"},
		}, answerAverage},
		{match.Rule{
			Name:  "sum.help",
			Loose: []string{"[do | help] (math | maths | arithmetic | algebra | sums | calculation | calculations) [problem | problems | homework | question | questions | equation]", "(solve | work out) [math | maths] (problem | equation | question)", "calculator", "calculate [numbers]", "(add | multiply | divide | subtract) numbers", "good at (math | maths)"},
		}, func(r *request) reply {
			return say("I can calculate. Try seven plus five, 15 percent of 80, or the square root of 144.")
		}},
	}
}

func operatorTerms() []match.Term {
	return []match.Term{
		{Value: "+", Spoken: []string{"plus"}, Written: []string{"added to", "add", "and add", "and another", "together with"}},
		{Value: "-", Spoken: []string{"minus"}, Written: []string{"take away", "less", "subtract", "takeaway", "and subtract", "take"}},
		{Value: "*", Spoken: []string{"times", "multiplied by"}, Written: []string{"multiply by", "multiply", "by", "x", "times by", "time", "multiplied with", "multiplied times"}},
		{Value: "/", Spoken: []string{"divided by", "over"}, Written: []string{"divide by", "divided", "divide", "split by", "divide it by", "shared by"}},
	}
}

// clearOperatorTerms are the operators that mean nothing else in a longer
// sentence.
func clearOperatorTerms() []match.Term {
	return []match.Term{
		{Value: "+", Written: []string{"plus"}},
		{Value: "*", Written: []string{"times", "multiplied by"}},
		{Value: "/", Written: []string{"divided by"}},
	}
}

func powerTerms() []match.Term {
	return []match.Term{
		{Value: "2", Spoken: []string{"squared"}, Written: []string{"square", "the square"}},
		{Value: "3", Spoken: []string{"cubed"}, Written: []string{"cube", "the cube"}},
	}
}

func multipleTerms() []match.Term {
	return []match.Term{
		{Value: "2", Written: []string{"double", "twice", "two times", "doubled"}},
		{Value: "3", Written: []string{"triple", "thrice", "three times", "tripled"}},
		{Value: "4", Written: []string{"quadruple", "quadrupled"}},
		{Value: "1/2", Written: []string{"half", "half of", "halve", "halved", "one half of"}},
	}
}

func sumLists() map[string][]match.Term {
	return map[string][]match.Term{
		"operator": operatorTerms(), "clear": clearOperatorTerms(), "power": powerTerms(), "multiple": multipleTerms(),
		"off":    {{Value: "-", Written: []string{"off", "off of", "discount", "discount on", "less than", "discount off", "less"}}, {Value: "+", Written: []string{"more than", "on top of", "plus"}}},
		"byup":   {{Value: "+", Written: []string{"by"}}},
		"bydown": {{Value: "-", Written: []string{"by"}}},
		"cube":   {{Value: "3", Written: []string{"cube", "cubic", "third"}}},
	}
}

// operand writes a number of the question: small whole numbers in words.
func operand(n *big.Rat) string {
	if n.IsInt() && n.Num().IsInt64() {
		if v := n.Num().Int64(); v >= 0 && v <= 12 {
			return inWords(int(v))
		}
	}
	return about(n, 6)
}

// numbers returns the values of the slots; a recogniser that heard a number
// there is sure of it, so a slot that is missing is zero.
func (r *request) number(slot string) *big.Rat {
	n, ok := r.Number(slot)
	if !ok {
		return new(big.Rat)
	}
	return n
}

var operatorWords = map[string]string{"+": "plus", "-": "minus", "*": "times", "/": "divided by"}

// sumDecimals is to how many decimals an inexact result is given.
const sumDecimals = 4

func apply(a *big.Rat, op string, b *big.Rat) (result *big.Rat, ok bool) {
	switch op {
	case "+":
		return new(big.Rat).Add(a, b), true
	case "-":
		return new(big.Rat).Sub(a, b), true
	case "*":
		return new(big.Rat).Mul(a, b), true
	}
	if b.Sign() == 0 {
		return nil, false
	}
	return new(big.Rat).Quo(a, b), true
}

const divisionByZero = "Nothing can be divided by zero, so there's no answer to that."

func (r *request) sumOf(a, op, b string) reply {
	operator, _ := r.Term(op)
	return r.sumWith(a, operator, b)
}

func (r *request) sumWith(slotA, op, slotB string) reply {
	a, b := r.number(slotA), r.number(slotB)
	result, ok := apply(a, op, b)
	if !ok {
		return reply{text: divisionByZero}
	}
	return equals(fmt.Sprintf("%s %s %s", operand(a), operatorWords[op], operand(b)), result)
}

// equals words a result: "Seven plus five is 12."
func equals(question string, result *big.Rat) reply {
	return say("%s is %s.", capitalised(question), about(result, sumDecimals))
}

// answerChain works out a chain of operations, multiplication and division
// first.
func answerChain(r *request) reply {
	terms, operators := []*big.Rat{r.number("a")}, []string{}
	question := operand(terms[0])
	for _, slot := range []struct{ op, number string }{{"op", "b"}, {"op2", "c"}, {"op3", "d"}, {"op4", "e"}, {"op5", "f"}} {
		op, ok := r.Term(slot.op)
		if !ok {
			break
		}
		n := r.number(slot.number)
		question += " " + operatorWords[op] + " " + operand(n)
		if op == "*" || op == "/" {
			last := len(terms) - 1
			if terms[last], ok = apply(terms[last], op, n); !ok {
				return reply{text: divisionByZero}
			}
			continue
		}
		terms, operators = append(terms, n), append(operators, op)
	}
	result := terms[0]
	for i, op := range operators {
		result, _ = apply(result, op, terms[i+1])
	}
	return equals(question, result)
}

// answerValue answers with a fraction worked out. Any other number alone asks
// for nothing.
func answerValue(r *request) reply {
	above, below, isFraction := strings.Cut(r.Text("a"), "/")
	a, okA := new(big.Rat).SetString(above)
	b, okB := new(big.Rat).SetString(below)
	if !isFraction || !okA || !okB {
		return r.decline()
	}
	return equals(fmt.Sprintf("%s divided by %s", operand(a), operand(b)), r.number("a"))
}

func answerAdd(r *request) reply {
	if !r.Has("c") {
		return r.sumWith("a", "+", "b")
	}
	a, b, c := r.number("a"), r.number("b"), r.number("c")
	result := new(big.Rat).Add(a, b)
	return equals(fmt.Sprintf("%s plus %s plus %s", operand(a), operand(b), operand(c)), result.Add(result, c))
}
