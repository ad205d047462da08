// What a pull request or a commit changes, as a unified diff in colours.

import { type ChangedFile, readDiff } from '../git/read-diff.ts';
import { mergeBase, readCommit } from '../git/read-objects.ts';
import type { Issue, Pull } from '../state.ts';
import { checkSummary } from './checks.ts';
import { commitCheckForm } from './forms.ts';
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';
import { threadHead } from './thread-head.ts';
import type { View } from './view.ts';

export async function filesPage(view: View, issue: Issue, pull: Pull): Promise<Html> {
  const { gitDir } = view.repository;
  const base = (await mergeBase(gitDir, pull.baseSha, pull.headSha)) ?? pull.baseSha;
  const files = await readDiff(gitDir, base, pull.headSha);
  const body = html`<div id="live">${threadHead(view, issue, 'files')}${files.map(fileBox)}</div>`;
  return framed({ title: `Files changed · #${issue.number}`, view, tab: 'pulls', body });
}

export async function commitPage(view: View, sha: string): Promise<Html> {
  const { gitDir } = view.repository;
  const commit = await readCommit(gitDir, sha);
  const [subject = '', ...rest] = commit.message.split('\n');
  const files = await readDiff(gitDir, commit.parents[0] ?? null, sha);
  const body = html`<h1 class="title">${subject}</h1><pre class="mono">${rest.join('\n').trim()}</pre>
<p class="muted">${commit.author.name} · <span class="mono">${sha}</span> · ${commit.author.date}</p>
<div id="live">${checkSummary(view, sha, null)}</div>${files.map(fileBox)}${!view.isReading && commitCheckForm(view, sha)}`;
  return framed({ title: subject, view, tab: 'code', body });
}

function fileBox({ path, previousPath, status, additions, deletions, patch }: ChangedFile): Html {
  return html`<div class="box file"><header><span class="plus">+${additions}</span><span class="minus">−${deletions}</span>
<span class="mono">${previousPath === null ? '' : `${previousPath} → `}${path}</span><span class="end">${status}</span></header>
${patch === null ? html`<p class="muted" style="padding:0 16px">Binary file, or nothing but its name changed.</p>` : diffTable(patch)}</div>`;
}

function diffTable(patch: string): Html {
  let [before, after] = [0, 0];
  const rows = patch.split('\n').map((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      return html`<tr class="hunk"><td class="no"></td><td class="no"></td><td>${line}</td></tr>`;
    }
    if (line.startsWith('\\'))
      return html`<tr class="hunk"><td class="no"></td><td class="no"></td><td>${line}</td></tr>`;
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
    const left = kind === 'added' ? '' : before++;
    const right = kind === 'removed' ? '' : after++;
    return html`<tr class="${kind}"><td class="no">${left}</td><td class="no">${right}</td><td>${line}</td></tr>`;
  });
  return html`<table class="code"><tbody>${rows}</tbody></table>`;
}
