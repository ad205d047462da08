// The pages of issues and pull requests: lists, conversations, reviews.

import type { GithubDouble } from '../double.ts';
import { entryAt, readBlob, readTree, resolveCommit } from '../git/read-objects.ts';
import { associationOf, fullName } from '../lookup.ts';
import type { Comment, GithubIssue, Reaction, Review, ReviewRemark } from '../state.ts';
import { readSuggestion } from '../suggestion.ts';
import { checkSummary, commitList, diffTable } from './code.ts';
import { commentEditForm, newIssueForm, pushForm, suggestionForm, threadForms } from './forms.ts';
import {
  accountOf,
  ago,
  author,
  avatar,
  branchesOf,
  framed,
  html,
  inAddress,
  labelPill,
  type PageHtml,
  type PageView,
  rendered,
  sign,
} from './frame.ts';

export function threadHead(view: PageView, issue: GithubIssue, tab: 'conversation' | 'checks' | 'files'): PageHtml {
  const { pull } = issue;
  const [kind, label] = stateOf(issue);
  return html`<h1 class="title">${issue.title} <span class="number">#${issue.number}</span></h1>
<div class="meta"><span class="state ${pull && 'pull'} ${kind}">${label}</span>${
    pull === null
      ? html`<span class="muted">${author(accountOf(view, issue.authorId))} opened ${ago(view, issue.createdAt)}</span>`
      : html`<span class="muted">${author(accountOf(view, issue.authorId))} wants to merge ${pull.stats.commits} commit${
          pull.stats.commits === 1 ? '' : 's'
        } into <a class="mono" href="/${view.name}">${pull.baseRef}</a> from <span class="mono">${pull.headRef}</span></span>`
  }</div>${pull && pullTabs(view, issue, tab)}`;
}

function pullTabs(view: PageView, { number, pull }: GithubIssue, current: string): PageHtml {
  const tab = (key: string, path: string, label: string) =>
    html`<a href="/${view.name}/pull/${number}${path}"${key === current && html` aria-current="page"`}>${label}</a>`;
  return html`<nav class="subtabs" aria-label="Pull request">${tab('conversation', '', 'Conversation')}${tab('checks', '/checks', 'Checks')}
${tab('files', '/files', 'Files changed')}<span style="margin-left:auto;padding:8px"><span class="plus">+${pull?.stats.additions}</span> <span class="minus">−${
    pull?.stats.deletions
  }</span></span></nav>`;
}

function stateOf({ state, stateReason, pull }: GithubIssue): readonly [string, string] {
  if (pull?.mergedAt) return ['merged', 'Merged'];
  if (state === 'closed') return [stateReason === 'not_planned' ? 'not_planned' : 'closed', 'Closed'];
  return pull?.isDraft ? ['draft', 'Draft'] : ['open', 'Open'];
}

const DID = {
  APPROVED: 'approved these changes',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'reviewed',
  PENDING: 'began a review',
} as const;

/** Of the hunk above a remark at one line, as on GitHub. */
const LINES_SHOWN = 4;

async function reviewEntry(view: PageView, review: Review): Promise<PageHtml> {
  const account = accountOf(view, review.authorId);
  const all = [...view.repository.reviewComments.values()].filter(({ reviewId }) => reviewId === review.id);
  const remarks = await Promise.all(all.map((one) => remarkBox(view, one)));
  const said =
    review.body === '' ? html`` : html`<div class="markdown" style="padding:16px">${rendered(view, review.body)}</div>`;
  const id = `pullrequestreview-${review.id}`;
  if (review.minimized !== null) {
    return html`<div class="entry">${avatar(account, 40)}<details class="box minimised" id="${id}">
<summary>${author(account)} · ${markedAs(review.minimized)}</summary>${said}${remarks}</details></div>`;
  }
  const association = associationOf(view.double.state, view.repository, review.authorId);
  return html`<div class="entry">${avatar(account, 40)}<article class="box review" id="${id}">
<header>${author(account)} <span>${DID[review.state]} ${ago(view, review.submittedAt)}</span>
<span class="end">${association !== 'NONE' && html`<span class="pill">${association.charAt(0)}${association.slice(1).toLowerCase()}</span>`}</span></header>
${said}${remarks}</article></div>`;
}

function markedAs(reason: string): string {
  return `This comment was marked as ${reason.toLowerCase().replaceAll('_', ' ')}.`;
}

/** The remark with the lines that it is about. */
async function remarkBox(view: PageView, comment: ReviewRemark): Promise<PageHtml> {
  const { line, path, startLine } = comment;
  const name = startLine === null ? `${path}:${line}` : `${path}:${startLine}-${line}`;
  const outdated = comment.isOutdated && html` <span class="pill">Outdated</span>`;
  const hunk = lastLines(comment.diffHunk, Math.max(LINES_SHOWN, line - (startLine ?? line) + 1));
  const body = html`${diffTable(hunk)}<div style="padding:8px 16px">${await remarkText(view, comment)}</div>`;
  const title = html`<a class="mono" href="/${view.name}/blob/${comment.commitSha}/${inAddress(path)}#L${startLine ?? line}">${name}</a>${outdated}`;
  if (comment.minimized !== null) {
    return html`<details class="box file remark minimised" id="discussion_r${comment.id}"><summary>${title} · ${markedAs(comment.minimized)}</summary>${body}</details>`;
  }
  return html`<div class="box file remark" id="discussion_r${comment.id}"><header>${title}</header>${body}</div>`;
}

/** What it says, a suggestion in it as what goes and what comes. */
export async function remarkText(view: PageView, comment: ReviewRemark): Promise<PageHtml> {
  const suggested = readSuggestion(comment.body);
  if (suggested === null) return html`<div class="markdown">${rendered(view, comment.body)}</div>`;
  const part = async (source: string) =>
    source === '' ? html`` : html`<div class="markdown">${rendered(view, source)}</div>`;
  const start = comment.startLine ?? comment.line;
  const before = await linesAt(view, comment, start);
  const goes = before.map((text, at) => suggestedLine('removed', start + at, `-${text}`));
  const comes = suggested.lines.map((text, at) => suggestedLine('added', start + at, `+${text}`));
  const act = !view.isReading && !comment.isOutdated && suggestionForm(view, comment);
  return html`${await part(suggested.before)}<div class="box suggestion"><header>Suggested change</header>
<table class="code"><tbody>${goes}${comes}</tbody></table></div>${act}${await part(suggested.after)}`;
}

function suggestedLine(kind: string, number: number, text: string): PageHtml {
  return html`<tr class="${kind}"><td class="no">${number}</td><td>${text}</td></tr>`;
}

async function linesAt(view: PageView, comment: ReviewRemark, start: number): Promise<readonly string[]> {
  const { gitDir } = view.repository;
  const entry = await entryAt(gitDir, comment.commitSha, comment.path);
  if (entry?.type !== 'blob') return [];
  return (await readBlob(gitDir, entry.sha))
    .toString('utf8')
    .split('\n')
    .slice(start - 1, comment.line);
}

/** The end of a hunk, under a header that counts as if it began there. */
function lastLines(hunk: string, count: number): string {
  const [header = '', ...lines] = hunk.split('\n');
  const cut = lines.slice(0, Math.max(0, lines.length - count));
  const [, left = '1', right = '1'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
  const without = (sign: string) => cut.filter((line) => !line.startsWith(sign)).length;
  return [`@@ -${Number(left) + without('+')} +${Number(right) + without('-')} @@`, ...lines.slice(cut.length)].join(
    '\n',
  );
}

const SIGNS: Readonly<Record<Reaction['content'], string>> = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  confused: '😕',
  heart: '❤️',
  hooray: '🎉',
  rocket: '🚀',
  eyes: '👀',
};

export async function conversationPage(view: PageView, issue: GithubIssue): Promise<PageHtml> {
  const comments = [...view.repository.comments.values()].filter(({ issueNumber }) => issueNumber === issue.number);
  const first = await entry(view, { ...issue, id: 0 });
  const written = [
    ...comments.map((one) => ({ at: one.createdAt, id: one.id, show: () => commentEntry(view, one) })),
    ...(issue.pull?.reviews ?? []).map((one) => ({
      at: one.submittedAt,
      id: one.id,
      show: () => reviewEntry(view, one),
    })),
  ].sort((one, other) => one.at.localeCompare(other.at) || one.id - other.id);
  const rest = await Promise.all(written.map(({ show }) => show()));
  const body = html`<div id="live">${threadHead(view, issue, 'conversation')}
<div class="columns"><div>${first}${rest}${issue.pull && (await commitList(view, issue.pull))}${issue.pull && checkSummary(view, issue.pull.headSha, issue)}</div>${sidebar(view, issue)}</div></div>
${!view.isReading && threadForms(view, issue)}`;
  return framed({
    title: `${issue.title} · #${issue.number}`,
    view,
    tab: issue.pull === null ? 'issues' : 'pulls',
    body,
  });
}

type Written = Pick<Comment, 'id' | 'authorId' | 'createdAt' | 'updatedAt' | 'reactions'> & {
  readonly body: string | null;
};

async function commentEntry(view: PageView, comment: Comment): Promise<PageHtml> {
  const more = view.isReading ? html`` : commentEditForm(view, comment);
  if (comment.minimized === null) return entry(view, comment, more);
  const account = accountOf(view, comment.authorId);
  return html`<div class="entry">${avatar(account, 40)}<details class="box minimised" id="issuecomment-${comment.id}">
<summary>${author(account)} · ${markedAs(comment.minimized)}</summary>
<div class="markdown" style="padding:16px">${rendered(view, comment.body)}</div></details></div>`;
}

async function entry(view: PageView, written: Written, more: PageHtml = html``): Promise<PageHtml> {
  const account = accountOf(view, written.authorId);
  const association = associationOf(view.double.state, view.repository, written.authorId);
  const isEdited = written.id !== 0 && written.updatedAt !== written.createdAt;
  return html`<div class="entry">${avatar(account, 40)}<article class="box"${written.id !== 0 && html` id="issuecomment-${written.id}"`}>
<header>${author(account)} <span>${written.id === 0 ? 'opened' : 'commented'} ${ago(view, written.createdAt)}${isEdited && ' · edited'}</span>
<span class="end">${association !== 'NONE' && html`<span class="pill">${association.charAt(0)}${association.slice(1).toLowerCase()}</span>`}</span></header>
<div class="markdown">${rendered(view, written.body)}</div>${reactions(view, written.reactions)}${more}</article></div>`;
}

function reactions(view: PageView, given: readonly Reaction[]): PageHtml {
  const counts = Map.groupBy(given, ({ content }) => content);
  if (counts.size === 0) return html``;
  const pills = [...counts].map(
    ([content, all]) =>
      html`<span title="${all.map(({ userId }) => accountOf(view, userId)?.login ?? 'ghost').join(', ')}">${SIGNS[content]} ${all.length}</span>`,
  );
  return html`<div class="reactions">${pills}</div>`;
}

function sidebar(view: PageView, issue: GithubIssue): PageHtml {
  const named = (ids: Iterable<number>) => [...ids].map((id) => html`<div>${author(accountOf(view, id))}</div>`);
  const linked = [...(issue.pull?.linked ?? [])].map(
    (number) => html`<div><a href="/${view.name}/issues/${number}">#${number}</a></div>`,
  );
  return html`<aside>
<section><h2>Labels</h2>${issue.labels.length === 0 ? html`<span class="muted">None yet</span>` : issue.labels.map((one) => labelPill(view, one))}</section>
${issue.pull && html`<section><h2>Reviewers</h2>${issue.pull.reviewerIds.size === 0 ? html`<span class="muted">No reviews</span>` : named(issue.pull.reviewerIds)}</section>`}
${linked.length > 0 && html`<section><h2>Development</h2>${linked}</section>`}
</aside>`;
}

export function repositoriesPage({ state }: GithubDouble): PageHtml {
  const rows = [...state.repositories.values()].map(
    (one) => html`<li><strong><a href="/${fullName(state, one)}">${fullName(state, one)}</a></strong>
<span class="pill">${one.isPrivate ? 'Private' : 'Public'}</span>${one.isArchived && html` <span class="pill">Archived</span>`}
<div class="muted">${one.description}</div></li>`,
  );
  return framed({
    title: 'Repositories',
    view: null,
    body: html`<h1 class="title">Repositories</h1><ul class="rows" id="live">${rows}</ul>`,
  });
}

export async function repositoryPage(view: PageView): Promise<PageHtml> {
  const { repository, name } = view;
  const head = await resolveCommit(repository.gitDir, `refs/heads/${repository.defaultBranch}`);
  const entries = head === null ? [] : ((await readTree(repository.gitDir, head, true)) ?? []);
  const files = entries.filter(({ type }) => type === 'blob');
  const readme = head === null ? null : await entryAt(repository.gitDir, head, 'README.md');
  const text = readme === null ? null : (await readBlob(repository.gitDir, readme.sha)).toString('utf8');
  const rows = files
    .slice(0, 200)
    .map(({ path }) => html`<li><a href="/${name}/blob/${repository.defaultBranch}/${path}">${path}</a></li>`);
  const body = html`<p><span class="pill">${repository.defaultBranch}</span> ${
    head && html`<a class="mono" href="/${name}/commit/${head}">${head.slice(0, 7)}</a>`
  } <span class="muted">${files.length} files · ${(await branchesOf(view)).length} branches</span></p>
<ul class="rows">${rows}</ul>
${text && html`<div class="box" style="margin-top:16px"><header>README.md</header><div class="markdown" style="padding:32px">${rendered(view, text)}</div></div>`}
${view.isReading ? '' : await pushForm(view)}`;
  return framed({ title: name, view, tab: 'code', body });
}

export function issuesPage(view: PageView, kind: 'issues' | 'pulls'): PageHtml {
  const wanted = [...view.repository.issues.values()].filter(({ pull }) => (pull === null) === (kind === 'issues'));
  const rows = wanted.toSorted((one, other) => other.number - one.number).map((issue) => issueRow(view, issue));
  const title = kind === 'issues' ? 'Issues' : 'Pull requests';
  const body = html`<h1 class="title">${title}</h1>
<div id="live">${rows.length === 0 ? html`<p class="muted">There are none yet.</p>` : html`<ul class="rows">${rows}</ul>`}</div>
${kind === 'issues' && !view.isReading && newIssueForm(view)}`;
  return framed({ title: `${title} · ${view.name}`, view, tab: kind, body });
}

function issueRow(view: PageView, issue: GithubIssue): PageHtml {
  const path = issue.pull === null ? 'issues' : 'pull';
  const draft = issue.pull?.isDraft && issue.state === 'open' ? html` <span class="pill">Draft</span>` : '';
  return html`<li>${sign(issue.state)}
<strong><a href="/${view.name}/${path}/${issue.number}">${issue.title}</a></strong>${draft} ${issue.labels.map((one) => labelPill(view, one))}
<div class="muted">#${issue.number} · ${accountOf(view, issue.authorId)?.login ?? 'ghost'} opened ${ago(view, issue.createdAt)}</div></li>`;
}
