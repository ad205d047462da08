// Suspects: places in the source with their reasons, most likely first.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Issue, Suspect } from '../../core/issue.ts';
import { percentage } from '../projects/issue-words.ts';
import { richLine, type TextLinks } from '../rich-text.ts';
import type { Html } from '../show.ts';

const MOST_REASONS = 5;

export function suspectsSection({ analysis }: Issue, links: TextLinks): Html {
  const { suspects } = analysis;
  if (suspects.length === 0) return html``;
  return html`<section aria-labelledby="suspects"><h2 id="suspects">Suspects</h2>
<p class="soft">Places to look at, most likely first.</p>
<table class="cards suspects"><caption class="hidden">Places to look at, most likely first</caption>
<thead><tr><th scope="col">Place</th><th scope="col">Why</th><th scope="col" class="number">Score</th></tr></thead>
<tbody>${suspects.map((suspect) => suspectRow(suspect, links))}</tbody></table></section>`;
}

function suspectRow({ file, line, function: name, score, reasons }: Suspect, links: TextLinks): Html {
  return html`<tr><th scope="row">${place(file, line, links)}${name === '' ? '' : html` in <code>${inertLine(name, 200)}</code>`}</th>
<td data-label="Why">${reasons
    .slice(0, MOST_REASONS)
    .map((reason, at) => html`${at === 0 ? '' : '; '}${richLine(reason, links)}`)}</td>
<td class="number" data-label="Score">${percentage(score)}</td></tr>`;
}

/** Without a line the file itself is linked, at its top. */
function place(file: string, line: number, { source }: TextLinks): Html {
  const shown = inertLine(line > 0 ? `${file}:${line}` : file, 400);
  const address = source(`${file}:${line > 0 ? line : 1}`);
  const code = html`<code>${shown}</code>`;
  return address === null ? code : html`<a href="${address}">${code}</a>`;
}
