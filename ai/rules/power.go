package rules

import (
	"fmt"
	"math/big"
)

// The answers of the arithmetic skills beyond the four operations.

func answerMultiple(r *request) reply {
	a := r.number("a")
	if f, ok := r.Number("f"); ok {
		if f.Cmp(big.NewRat(1, 1)) >= 0 && f.IsInt() { // "one of five" is no sum
			return r.decline()
		}
		return equals(fmt.Sprintf("%s of %s", about(f, sumDecimals), operand(a)), new(big.Rat).Mul(f, a))
	}
	factor := big.NewRat(2, 1)
	name := "twice"
	switch times, named := r.Term("times"); {
	case times == "3":
		factor, name = big.NewRat(3, 1), "three times"
	case times == "4":
		factor, name = big.NewRat(4, 1), "four times"
	case times == "1/2", !named && r.Words[0] == "half":
		factor, name = big.NewRat(1, 2), "half of"
	}
	return equals(fmt.Sprintf("%s %s", name, operand(a)), new(big.Rat).Mul(factor, a))
}

var hundred = big.NewRat(100, 1)

// percentOf returns p percent of a.
func percentOf(p, a *big.Rat) *big.Rat {
	result := new(big.Rat).Mul(p, a)
	return result.Quo(result, hundred)
}

func answerPercent(r *request) reply {
	p, a := r.number("p"), r.number("a")
	return equals(fmt.Sprintf("%s percent of %s", operand(p), operand(a)), percentOf(p, a))
}

func answerPercentChange(r *request) reply {
	p, a := r.number("p"), r.number("a")
	if dir, _ := r.Term("dir"); dir == "+" {
		return equals(fmt.Sprintf("%s plus %s percent", operand(a), operand(p)), new(big.Rat).Add(a, percentOf(p, a)))
	}
	return equals(fmt.Sprintf("%s less %s percent", operand(a), operand(p)), new(big.Rat).Sub(a, percentOf(p, a)))
}

func answerShare(r *request) reply {
	a, b := r.number("a"), r.number("b")
	if b.Sign() == 0 {
		return reply{text: divisionByZero}
	}
	share := new(big.Rat).Quo(a, b)
	share.Mul(share, hundred)
	return say("%s is %s percent of %s.", capitalised(operand(a)), about(share, 2), operand(b))
}

// maxPower bounds exponents and results: about a hundred digits can be worked
// out exactly, and no more need be.
const (
	maxPower      = 1000
	maxResultBits = 4000
)

func answerPower(r *request) reply {
	a := r.number("a")
	n, name := 2, "squared"
	pow, named := r.Term("pow")
	switch {
	case named && pow == "3":
		n, name = 3, "cubed"
	case named, !r.Has("n") && !r.Has("o"):
	default:
		exponent, ok := r.Int("n")
		if !ok {
			exponent, ok = r.Int("o")
		}
		if !ok || exponent < -maxPower || exponent > maxPower {
			return say("That exponent is too much for me.")
		}
		n, name = exponent, fmt.Sprintf("to the power of %s", operand(new(big.Rat).SetInt64(int64(exponent))))
	}
	if a.Sign() == 0 && n < 0 {
		return reply{text: divisionByZero}
	}
	bits := max(a.Num().BitLen(), a.Denom().BitLen()) * max(n, -n)
	if bits > maxResultBits {
		return say("That number would be too long to say.")
	}
	return equals(fmt.Sprintf("%s %s", operand(a), name), powerOf(a, n))
}

func powerOf(a *big.Rat, n int) *big.Rat {
	e := big.NewInt(int64(max(n, -n)))
	num, denom := new(big.Int).Exp(a.Num(), e, nil), new(big.Int).Exp(a.Denom(), e, nil)
	if n < 0 {
		num, denom = denom, num
	}
	return new(big.Rat).SetFrac(num, denom)
}

func answerRoot(r *request) reply {
	a := r.number("a")
	degree, name := 2, "square root"
	if r.Has("cube") {
		degree, name = 3, "cube root"
	}
	question := fmt.Sprintf("the %s of %s", name, operand(a))
	if a.Sign() < 0 && degree == 2 {
		return say("%s is not a real number.", capitalised(question))
	}
	return equals(question, root(a, degree))
}

// rootDecimals is the precision of a root that is not exact.
const rootDecimals = 12

// root returns the root of a to the given degree, exactly where it is a
// fraction, else cut after rootDecimals decimals.
func root(a *big.Rat, degree int) *big.Rat {
	magnitude := new(big.Rat).Abs(a)
	num, exactNum := intRoot(magnitude.Num(), degree)
	denom, exactDenom := intRoot(magnitude.Denom(), degree)
	var result *big.Rat
	if exactNum && exactDenom {
		result = new(big.Rat).SetFrac(num, denom)
	} else {
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(rootDecimals*degree)), nil)
		scaled := new(big.Int).Mul(magnitude.Num(), scale)
		whole, _ := intRoot(scaled.Quo(scaled, magnitude.Denom()), degree)
		result = new(big.Rat).SetFrac(whole, new(big.Int).Exp(big.NewInt(10), big.NewInt(rootDecimals), nil))
	}
	if a.Sign() < 0 {
		result.Neg(result)
	}
	return result
}

// intRoot returns the greatest whole number whose power is at most n, by
// bisection, and whether it is exact.
func intRoot(n *big.Int, degree int) (*big.Int, bool) {
	power := func(x *big.Int) *big.Int { return new(big.Int).Exp(x, big.NewInt(int64(degree)), nil) }
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(n.BitLen()/degree+1))
	for one := big.NewInt(1); new(big.Int).Sub(high, low).Cmp(one) > 0; {
		mid := new(big.Int).Add(low, high)
		mid.Rsh(mid, 1)
		if power(mid).Cmp(n) <= 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return low, power(low).Cmp(n) == 0
}

// maxFactorial is the greatest number whose factorial is worked out.
const maxFactorial = 100

func answerFactorial(r *request) reply {
	n, ok := r.Int("a")
	if !ok || n > maxFactorial {
		return say("That number would be too long to say.")
	}
	result := new(big.Int).MulRange(1, int64(n))
	return equals(fmt.Sprintf("%s factorial", operand(new(big.Rat).SetInt64(int64(n)))), new(big.Rat).SetInt(result))
}

func answerAverage(r *request) reply {
	total, n := new(big.Rat), int64(0)
	for _, slot := range []string{"a", "b", "c"} {
		if r.Has(slot) {
			total.Add(total, r.number(slot))
			n++
		}
	}
	return equals("the average", total.Quo(total, new(big.Rat).SetInt64(n)))
}
