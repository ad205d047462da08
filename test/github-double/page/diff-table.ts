// A patch as a table in colours, with room below its lines.
import { type Html, html } from './html.ts';

/** `below`: what stands under the line of that number in the file after the change. */
export function diffTable(patch: string, below: (line: number) => readonly Html[] = () => []): Html {
  let [before, after] = [0, 0];
  const rows = patch.split('\n').map((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) [before, after] = [Number(hunk[1]), Number(hunk[2])];
    if (hunk !== null || line.startsWith('\\'))
      return html`<tr class="hunk"><td class="no"></td><td class="no"></td><td>${line}</td></tr>`;
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
    const left = kind === 'added' ? '' : before++;
    const right = kind === 'removed' ? '' : after++;
    const more = right === '' ? [] : below(right);
    return html`<tr class="${kind}"><td class="no">${left}</td><td class="no">${right}</td><td>${line}</td></tr>
${more.map((one) => html`<tr class="below"><td colspan="3">${one}</td></tr>`)}`;
  });
  return html`<table class="code"><tbody>${rows}</tbody></table>`;
}
