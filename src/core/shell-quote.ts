// Words as a POSIX shell reads them back: what we print is pasted.

/** The word in single quotes, where everything stands for itself, but the quote. */
export function quoteWords(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The same, and a word that needs no quotes as it is. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWords(word);
}
