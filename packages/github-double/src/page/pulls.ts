// The tabs of a pull request: its checks, and its files with annotations and remarks below their lines.
import { readDiff } from '../git/read-diff.ts';
import { mergeBase } from '../git/read-objects.ts';
import type { CheckAnnotation, CheckRun, GithubIssue, Pull } from '../state.ts';
import { type Below, fileBox, newestRuns, runDetail } from './code.ts';
import { accountOf, author, framed, html, type PageHtml, type PageView } from './frame.ts';
import { remarkText, threadHead } from './threads.ts';

export async function checksPage(view: PageView, issue: GithubIssue, sha: string): Promise<PageHtml> {
  const runs = await Promise.all(newestRuns(view.repository, sha).map((run) => runDetail(view, run)));
  const none = html`<p class="muted">No checks on <span class="mono">${sha.slice(0, 7)}</span>.</p>`;
  const body = html`<div id="live">${threadHead(view, issue, 'checks')}${runs.length === 0 ? none : runs}</div>`;
  return framed({ title: `Checks · #${issue.number}`, view, tab: 'pulls', body });
}

export async function filesPage(view: PageView, issue: GithubIssue, pull: Pull): Promise<PageHtml> {
  const { gitDir } = view.repository;
  const base = (await mergeBase(gitDir, pull.baseSha, pull.headSha)) ?? pull.baseSha;
  const files = await readDiff(gitDir, base, pull.headSha);
  const below = await remarksBelow(view, issue, pull);
  const body = html`<div id="live">${threadHead(view, issue, 'files')}${files.map((file) => fileBox(file, below.get(file.path)))}</div>`;
  return framed({ title: `Files changed · #${issue.number}`, view, tab: 'pulls', body });
}

/** By path and line: annotations of the checks at the head, then remarks of reviews. */
async function remarksBelow(view: PageView, issue: GithubIssue, pull: Pull): Promise<ReadonlyMap<string, Below>> {
  const found: { path: string; line: number; shown: PageHtml }[] = [];
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

function byLine(all: readonly { line: number; shown: PageHtml }[]): Below {
  return new Map(
    [...Map.groupBy(all, ({ line }) => line)].map(([line, them]) => [line, them.map(({ shown }) => shown)]),
  );
}

/** An annotation under the line that it is about, among the files of a pull request. */
function annotationBelow(view: PageView, run: CheckRun, one: CheckAnnotation): PageHtml {
  const where = one.startLine === one.endLine ? `line ${one.endLine}` : `lines ${one.startLine}-${one.endLine}`;
  const app = view.double.state.apps.get(run.appId)?.name;
  return html`<div class="annotation ${one.level} below-line"><div class="muted">Check ${one.level} on ${where} in ${one.path}</div>
<div><strong>${app} / <a href="/${view.name}/runs/${run.id}">${run.name}</a></strong></div>${one.title && html`<div><strong>${one.title}</strong></div>`}<pre>${one.message}</pre></div>`;
}
