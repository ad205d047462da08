// What a pull request or a commit changes, as a unified diff in colours.

import { type ChangedFile, readDiff } from '../git/read-diff.ts';
import { mergeBase, readCommit } from '../git/read-objects.ts';
import type { Issue } from '../state.ts';
import type { Pull } from '../state-pulls.ts';
import { annotationBelow, checkSummary, newestRuns } from './checks.ts';
import { diffTable } from './diff-table.ts';
import { commitCheckForm } from './forms.ts';
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';
import { remarkText } from './reviews.ts';
import { threadHead } from './thread-head.ts';
import { accountOf, author, type View } from './view.ts';

export async function filesPage(view: View, issue: Issue, pull: Pull): Promise<Html> {
  const { gitDir } = view.repository;
  const base = (await mergeBase(gitDir, pull.baseSha, pull.headSha)) ?? pull.baseSha;
  const files = await readDiff(gitDir, base, pull.headSha);
  const below = await remarksBelow(view, issue, pull);
  const body = html`<div id="live">${threadHead(view, issue, 'files')}${files.map((file) => fileBox(file, below.get(file.path)))}</div>`;
  return framed({ title: `Files changed · #${issue.number}`, view, tab: 'pulls', body });
}

export async function commitPage(view: View, sha: string): Promise<Html> {
  const { gitDir } = view.repository;
  const commit = await readCommit(gitDir, sha);
  const [subject = '', ...rest] = commit.message.split('\n');
  const files = await readDiff(gitDir, commit.parents[0] ?? null, sha);
  const body = html`<h1 class="title">${subject}</h1><pre class="mono">${rest.join('\n').trim()}</pre>
<p class="muted">${commit.author.name} · <span class="mono">${sha}</span> · ${commit.author.date}</p>
<div id="live">${checkSummary(view, sha, null)}</div>${files.map((file) => fileBox(file))}${!view.isReading && commitCheckForm(view, sha)}`;
  return framed({ title: subject, view, tab: 'code', body });
}

type Below = ReadonlyMap<number, readonly Html[]>;

/** By path and line: annotations of the checks at the head, then remarks of reviews. */
async function remarksBelow(view: View, issue: Issue, pull: Pull): Promise<ReadonlyMap<string, Below>> {
  const found: { path: string; line: number; shown: Html }[] = [];
  for (const run of newestRuns(view.repository, pull.headSha)) {
    for (const one of run.annotations)
      found.push({ path: one.path, line: one.endLine, shown: annotationBelow(view, run, one) });
  }
  for (const one of view.repository.reviewComments.values()) {
    if (one.issueNumber !== issue.number || one.isOutdated || one.side === 'LEFT' || one.minimized !== null) continue;
    const who = author(accountOf(view, one.authorId));
    const shown = html`<div class="box below-line">${who}${await remarkText(view, one)}</div>`;
    found.push({ path: one.path, line: one.line, shown });
  }
  const byPath = Map.groupBy(found, ({ path }) => path);
  return new Map([...byPath].map(([path, all]) => [path, byLine(all)]));
}

function byLine(all: readonly { line: number; shown: Html }[]): Below {
  return new Map(
    [...Map.groupBy(all, ({ line }) => line)].map(([line, them]) => [line, them.map(({ shown }) => shown)]),
  );
}

function fileBox(
  { path, previousPath, status, additions, deletions, patch }: ChangedFile,
  below: Below = new Map(),
): Html {
  return html`<div class="box file"><header><span class="plus">+${additions}</span><span class="minus">−${deletions}</span>
<span class="mono">${previousPath === null ? '' : `${previousPath} → `}${path}</span><span class="end">${status}</span></header>
${patch === null ? html`<p class="muted" style="padding:0 16px">Binary file, or nothing but its name changed.</p>` : diffTable(patch, (line) => below.get(line) ?? [])}</div>`;
}
