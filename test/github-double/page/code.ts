// One file at one revision, with numbered lines that an address can point at.
import { entryAt, readBlob, resolveCommit } from '../git/read-objects.ts';
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';
import type { View } from './view.ts';

/** Null where there is no such file; `rest` is `REVISION/PATH`, and a branch may have slashes. */
export async function filePage(view: View, rest: string): Promise<Html | null> {
  const { gitDir } = view.repository;
  const parts = rest.split('/');
  for (let at = 1; at < parts.length; at++) {
    const revision = parts.slice(0, at).join('/');
    const path = parts.slice(at).join('/');
    const commit = await resolveCommit(gitDir, revision);
    const entry = commit === null ? null : await entryAt(gitDir, commit, path);
    if (entry?.type !== 'blob') continue;
    const lines = (await readBlob(gitDir, entry.sha)).toString('utf8').replace(/\n$/, '').split('\n');
    const rows = lines.map(
      (line, index) => html`<tr id="L${index + 1}"><td class="no">${index + 1}</td><td>${line}</td></tr>`,
    );
    const body = html`<p><span class="pill">${revision.slice(0, 12)}</span> <strong class="mono">${path}</strong></p>
<div class="box file"><table class="code"><tbody>${rows}</tbody></table></div>`;
    return framed({ title: path, view, tab: 'code', body });
  }
  return null;
}
