// Identifiers of what belongs to an account alone, as they stand in the addresses of its pages.

/** Whether the text can be the id of a token, a session or a webhook: the store is asked about nothing else. */
export function isOwnId(text: string): boolean {
  return /^(?:tok|ses|evt)_[0-9A-Za-z]{1,32}$/.test(text);
}
