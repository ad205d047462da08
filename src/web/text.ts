// What a model or a person wrote, as a page shows it: paragraphs, lists, code, and links only to our own steps and to
// the repository's source.

import type { SourceLinks } from 'causeway-safe-markdown';
import { parseInline, parseMarkdown } from 'causeway-safe-markdown';
import { sanitiseLine, sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import { NO_LINKS } from '../core/issue/index.ts';
import type { Html } from './layout.ts';

type MarkdownBlock = ReturnType<typeof parseMarkdown>['children'][number];
type Inline = ReturnType<typeof parseInline>[number];

export interface TextLinks {
  /** Addresses of places in the source, which are built by us. */
  readonly source: SourceLinks;
  /** How many steps the page shows, so that `[step 3]` leads to `#step-3`. */
  readonly steps: number;
}

export const NO_TEXT_LINKS: TextLinks = { source: NO_LINKS, steps: 0 };

const MAX_TEXT = 20_000;
const STEP = /\[step (\d{1,4})\]/g;
/**
 * A full stop ends a sentence only before white space: `src/cart.ts` is a name. A few letters and a stop are an
 * abbreviation.
 */
const SENTENCE = /^.{24,400}?[.!?](?=\s)/u;

/** Markdown as HTML: everything that our parser does not know is text. At most 20,000 characters. */
export function renderText(text: string, links: TextLinks = NO_TEXT_LINKS): Html {
  // One less, since the parser shows a text of more than that without marks.
  return html`${parseMarkdown(sanitiseText(text, MAX_TEXT - 1)).children.map((block) => renderMarkdownBlock(block, links))}`;
}

/** The same on one line, without blocks. */
export function renderLine(text: string, links: TextLinks = NO_TEXT_LINKS, max = 500): Html {
  return html`${renderInline(parseInline(sanitiseLine(text, max)), links)}`;
}

/** The first sentence of a text, on one line of at most `max` characters, without the marks of steps. */
export function getFirstSentence(text: string, max = 180): string {
  const all = sanitiseLine(text.replaceAll(STEP, ''), 400).replace(/ (?=[.,;:])/g, '');
  return sanitiseLine(SENTENCE.exec(all)?.[0] ?? all, max);
}

/** What names an issue in a list and above its page: the first sentence of its problem, or of its cause. May contain backticks. */
export function getHeadline({
  problem,
  rootCause = '',
  id,
}: {
  readonly problem: string;
  readonly rootCause?: string;
  readonly id: string;
}): string {
  const lines = problem.split('\n').map((line) => line.replace(/^#{1,6}\s/, ''));
  return getFirstSentence(lines.find((line) => line.trim() !== '') ?? '') || getFirstSentence(rootCause) || id;
}

function renderMarkdownBlock(block: MarkdownBlock, links: TextLinks): Html {
  switch (block.type) {
    case 'code':
      return html`<pre><code>${block.value}</code></pre>`;
    case 'paragraph':
      return html`<p class="prose">${renderInline(block.children, links)}</p>`;
    // A heading of the text must not become one of the page.
    case 'heading':
      return html`<p class="prose"><strong>${renderInline(block.children, links)}</strong></p>`;
    case 'list': {
      const items = block.children.map(
        ({ children }) => html`<li class="prose">${children.map((child) => renderListItem(child, links))}</li>`,
      );
      return block.ordered ? html`<ol start="${block.start ?? 1}">${items}</ol>` : html`<ul>${items}</ul>`;
    }
    default:
      return html``;
  }
}

function renderListItem(block: MarkdownBlock, links: TextLinks): Html {
  return block.type === 'paragraph' ? html`${renderInline(block.children, links)}` : renderMarkdownBlock(block, links);
}

function renderInline(nodes: readonly Inline[], links: TextLinks): readonly Html[] {
  return nodes.map((node) => {
    switch (node.type) {
      case 'text':
        return html`${renderStepLinks(node.value, links)}`;
      case 'inlineCode':
        return renderSourceCode(node.value, links);
      case 'strong':
        return html`<strong>${renderInline(node.children, links)}</strong>`;
      default:
        return html``;
    }
  });
}

function renderSourceCode(text: string, { source }: TextLinks): Html {
  const address = source(text.trim());
  const code = html`<code>${text}</code>`;
  return address === null ? code : html`<a href="${address}">${code}</a>`;
}

function renderStepLinks(text: string, { steps }: TextLinks): readonly (Html | string)[] {
  // Every second part is the number of a step.
  return text.split(STEP).map((part, index) => {
    if (index % 2 === 0) return part;
    const number = Number(part);
    const isThere = number >= 1 && number <= steps;
    return isThere ? html`<a class="step-link" href="#step-${number}">[step ${number}]</a>` : `[step ${part}]`;
  });
}
