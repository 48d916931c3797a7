package edits

// Count is the least number of elements to insert, delete and replace that makes b
// of a (Levenshtein). It takes time in proportion to the product of the lengths, and
// memory in proportion to that of b. It keeps neither slice.
func Count[T comparable](a, b []T) int {
	row := make([]int, len(b)+1) // of the last prefix of a, by prefix of b
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			replaced := diagonal
			if x != y {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
