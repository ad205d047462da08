// The head of an issue or pull request: title, state and, for a pull request, its tabs.
import type { Issue } from '../state.ts';
import { type Html, html } from './html.ts';
import { accountOf, ago, author, type View } from './view.ts';

export function threadHead(view: View, issue: Issue, tab: 'conversation' | 'checks' | 'files'): Html {
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

function pullTabs(view: View, { number, pull }: Issue, current: string): Html {
  const tab = (key: string, path: string, label: string) =>
    html`<a href="/${view.name}/pull/${number}${path}"${key === current && html` aria-current="page"`}>${label}</a>`;
  return html`<nav class="subtabs" aria-label="Pull request">${tab('conversation', '', 'Conversation')}${tab('checks', '/checks', 'Checks')}
${tab('files', '/files', 'Files changed')}<span style="margin-left:auto;padding:8px"><span class="plus">+${pull?.stats.additions}</span> <span class="minus">−${
    pull?.stats.deletions
  }</span></span></nav>`;
}

function stateOf({ state, stateReason, pull }: Issue): readonly [string, string] {
  if (pull?.mergedAt) return ['merged', 'Merged'];
  if (state === 'closed') return [stateReason === 'not_planned' ? 'not_planned' : 'closed', 'Closed'];
  return pull?.isDraft ? ['draft', 'Draft'] : ['open', 'Open'];
}
