/** The word with a capital letter at its beginning. */
export function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
