// Foreign text as code of Markdown: nothing in it can end the span or the fence that it stands in.
import { cutAt, withoutUnseen } from '../inert-text.ts';
import { withoutOrders } from './commit-orders.ts';

const MAX_SPAN = 1_000;
const MAX_LINE = 2_000;
/** Languages that are only coloured. Others are not: GitHub draws `mermaid` and its like, and offers `suggestion` for commit. */
const LANGUAGES = new Set(
  `bash bat c clojure console cpp cs csharp css csv dart diff dockerfile elixir erlang go graphql groovy haskell html http ini java
   javascript js json jsonc jsx julia kotlin less log lua make makefile nix objc ocaml perl php plaintext powershell properties proto
   python py r rb ruby rs rust sass scala scss sh shell sql svelte swift terraform text toml ts tsx txt typescript vb vue xml yaml yml zig zsh`
    .trim()
    .split(/\s+/),
);

/** Our own marks in comments are HTML comments, by which we find them again: what is quoted must not look like one, not even in code. */
function withoutMarks(text: string): string {
  return withoutUnseen(text).replace(/<!--(?=\s*causeway)/gi, '<!- -');
}

/** An item of a list. An empty one would turn the line above it into a heading. */
export function bullet(markdown: string): string {
  return `- ${markdown.trim() === '' ? '–' : markdown}`;
}

/** On one line; "" for a text without anything to see. At most 1,000 characters. */
export function codeSpan(text: string): string {
  const line = withoutMarks(text.slice(0, 4 * MAX_SPAN))
    .replace(/\s+/g, ' ')
    .trim();
  if (line === '') return '';
  const shown = line.length > MAX_SPAN ? `${cutAt(line, MAX_SPAN - 1)}…` : line;
  const fence = '`'.repeat(longestRun(shown, '`') + 1);
  const pad = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return withoutOrders(`${fence}${pad}${shown}${pad}${fence}`);
}

/**
 * A block without a line feed at its end; lines over 2,000 characters are cut, and say so. `info` outside of the known languages is left
 * out. A diff stays to the letter, since people apply it: it stands in no text that becomes the message of a commit.
 */
export function fenced(text: string, info: string): string {
  const lines = withoutMarks(text)
    .trimEnd()
    .replace(/^(?:[ \t]*\n)+/, '')
    .split('\n')
    .map((line) =>
      line.length > MAX_LINE ? `${cutAt(line, MAX_LINE)}… [${line.length - MAX_LINE} characters cut]` : line,
    );
  const body = lines.join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(body, '`') + 1));
  const language = info.toLowerCase();
  const block = `${fence}${LANGUAGES.has(language) ? language : ''}\n${body}\n${fence}`;
  return language === 'diff' ? block : withoutOrders(block);
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const each of text) {
    run = each === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
