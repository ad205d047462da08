// What a model or a person wrote, as a page shows it: paragraphs, lists, code, and links to our own steps and the repository's source alone.
import { html } from 'hono/html';
import { inertText } from '../core/inert-text.ts';
import { NO_LINKS, type SourceLinks } from '../core/source-links.ts';
import type { Html } from './show.ts';
import { type TextBlock, textBlocks } from './text-blocks.ts';

export interface TextLinks {
  /** Addresses of places in the source, which are built by us. */
  readonly source: SourceLinks;
  /** How many steps the page shows, so that `[step 3]` leads to `#step-3`. */
  readonly steps: number;
}

export const NO_TEXT_LINKS: TextLinks = { source: NO_LINKS, steps: 0 };

const MAX = 20_000;
const MARKS =
  /(?<!`)(`{1,9})(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)|\[step (\d{1,4})\]|\*\*(?=\S)([^*\n]{1,1000})(?<=\S)\*\*/g;

/** Everything that is not one of these marks is text. At most 20,000 characters. */
export function richText(text: string, links: TextLinks = NO_TEXT_LINKS): Html {
  return html`${textBlocks(inertText(text, MAX)).map((block) => blockOf(block, links))}`;
}

/** The same on one line, without blocks. */
export function richLine(text: string, links: TextLinks, max = 500): Html {
  return html`${marked(inertText(text.slice(0, 4 * max).replace(/\s+/g, ' '), max), links)}`;
}

function blockOf(block: TextBlock, links: TextLinks): Html {
  switch (block.kind) {
    case 'code':
      return html`<pre><code>${block.text}</code></pre>`;
    case 'paragraph':
      return html`<p class="told">${marked(block.text, links)}</p>`;
    case 'list': {
      const items = block.items.map((item) => html`<li class="told">${marked(item, links)}</li>`);
      return block.first === null ? html`<ul>${items}</ul>` : html`<ol start="${block.first}">${items}</ol>`;
    }
  }
}

function marked(text: string, links: TextLinks): readonly (Html | string)[] {
  const parts: (Html | string)[] = [];
  let at = 0;
  for (const found of text.matchAll(MARKS)) {
    const [whole, , code, step, bold] = found;
    parts.push(text.slice(at, found.index));
    if (code !== undefined) parts.push(codeOf(code, links));
    else if (step !== undefined) parts.push(stepLink(Number(step), links));
    else parts.push(html`<strong>${marked(bold ?? '', links)}</strong>`);
    at = found.index + whole.length;
  }
  return [...parts, text.slice(at)];
}

function codeOf(text: string, { source }: TextLinks): Html {
  const address = source(text.trim());
  const code = html`<code>${text}</code>`;
  return address === null ? code : html`<a href="${address}">${code}</a>`;
}

function stepLink(number: number, { steps }: TextLinks): Html | string {
  return number >= 1 && number <= steps ? html`<a href="#step-${number}">[step ${number}]</a>` : `[step ${number}]`;
}
