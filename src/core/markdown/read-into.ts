// What GitHub reads into text outside of code, whoever wrote it: people, references, addresses, commits, emoji, formulas.

/**
 * Mentions, addresses of mail and packages, `$` of formulas, references, addresses with or without a scheme, advisories, emoji by name.
 * A word that holds one of them anywhere becomes code, where GitHub reads nothing into it.
 */
const READ_INTO =
  /[@$]|#\d|:\/\/|www\.|\b(?:mailto|xmpp|tel|data|javascript):|\bGH-\d|\b(?:GHSA|CVE)-\w|:[a-z0-9_+-]+:/i;
const SHA = /(?<![0-9a-z])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,}(?![0-9a-z])/i;

export function isReadInto(text: string): boolean {
  return READ_INTO.test(text) || SHA.test(text);
}

const CODE = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g;
const LINK_END = /\]\([^()\s]*\)/g;
const ENTITY: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#96;': '`' };

/** The same of a finished line of our own Markdown, as a reader sees it: words that stood apart when they were judged may have met. */
export function isShownReadInto(line: string): boolean {
  const seen = line
    .replace(CODE, '\ufffc')
    .replace(LINK_END, ']')
    .replace(/&(?:amp|lt|gt|#96);/g, (entity) => ENTITY[entity] ?? entity)
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return isReadInto(seen);
}
