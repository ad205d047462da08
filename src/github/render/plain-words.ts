// Foreign text for places that know no code, such as titles and commit messages: plain words that GitHub and CI read nothing into.
import { sanitiseLine, truncate } from '../../core/text.ts';

/** One line of at most `max` characters, cut at a word where it is longer (then ending in `…`). */
export function plainWords(text: string, max: number): string {
  let plain = disarm(sanitiseLine(text, 4 * max));
  // What is taken out of a word can leave another one that means something.
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = disarm(plain);
  }
  if (plain.length <= max) return plain;
  const cut = truncate(plain, max - 1);
  const word = cut.replace(/(?<!\s)\s+\S*$/, '');
  return `${(word.length > max / 2 ? word : cut).trimEnd()}…`;
}

function disarm(text: string): string {
  return text
    .replace(/[`*]+|<!--|-->/g, '')
    .replace(/[<>]/g, ' ')
    .replace(/[[{]/g, '(')
    .replace(/[\]}]/g, ')')
    .replace(/(?<=[\p{L}\p{N}])@/gu, ' at ')
    .replaceAll('@', '')
    .replace(/(?:[a-z][a-z0-9+.-]{0,30})?:\/\/+/gi, '')
    .replace(/www\./gi, '')
    .replace(/mailto:/gi, '')
    .replace(/\s{0,9}(?<!#)#+\s{0,9}(?=\d)/g, ' no. ')
    .replace(/\b(GH|GHSA|CVE)-/gi, '$1 ')
    .replace(/([\w-]-by)\s*:/gi, '$1')
    .replace(/skip-checks/gi, 'skip checks')
    .replace(/NO_CI/gi, 'no CI')
    .replace(/BREAKING[ -]CHANGE/gi, 'breaking change')
    .replace(/(fixup|squash|amend)!/gi, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
