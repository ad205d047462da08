// Where the facts point: places in the source with their reasons, the likeliest first.
import { html } from 'hono/html';
import { inertLine } from '../../domain/inert-text.ts';
import type { Issue, Suspect } from '../../domain/issue.ts';
import { percentage } from '../projects/issue-words.ts';
import { richLine, type TextLinks } from '../rich-text.ts';
import type { Html } from '../show.ts';
import { plural } from '../words.ts';

const MOST = 15;
const MOST_REASONS = 5;

export function suspectsSection({ analysis }: Issue, links: TextLinks): Html {
  const shown = analysis.suspects.slice(0, MOST);
  if (shown.length === 0) return html``;
  const more = analysis.suspects.length - shown.length;
  return html`<section aria-labelledby="suspects"><h2 id="suspects">Suspects</h2>
<p class="soft">Places that the facts point at, the likeliest first.</p>
<table class="cards suspects"><caption class="hidden">Places that the facts point at, the likeliest first</caption>
<thead><tr><th scope="col">Place</th><th scope="col">Why</th><th scope="col" class="number">Score</th></tr></thead>
<tbody>${shown.map((suspect) => suspectRow(suspect, links))}</tbody></table>
${more > 0 ? html`<p class="hint">${plural(more, 'more place')} in the answer of the API.</p>` : ''}</section>`;
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
