// The pages that list: repositories, and the issues or pull requests of one.
import type { GithubDouble } from '../double.ts';
import { entryAt, readBlob, readTree, resolveCommit } from '../git/read-objects.ts';
import { fullName } from '../lookup.ts';
import type { Issue } from '../state.ts';
import { newIssueForm, pushForm } from './forms.ts';
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';
import { labelPill } from './labels.ts';
import { sign } from './signs.ts';
import { accountOf, ago, branchesOf, rendered, type View } from './view.ts';

export function repositoriesPage({ state }: GithubDouble): Html {
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

export async function repositoryPage(view: View): Promise<Html> {
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

export function issuesPage(view: View, kind: 'issues' | 'pulls'): Html {
  const wanted = [...view.repository.issues.values()].filter(({ pull }) => (pull === null) === (kind === 'issues'));
  const rows = wanted.toSorted((one, other) => other.number - one.number).map((issue) => issueRow(view, issue));
  const title = kind === 'issues' ? 'Issues' : 'Pull requests';
  const body = html`<h1 class="title">${title}</h1>
<div id="live">${rows.length === 0 ? html`<p class="muted">There are none yet.</p>` : html`<ul class="rows">${rows}</ul>`}</div>
${kind === 'issues' && !view.isReading && newIssueForm(view)}`;
  return framed({ title: `${title} · ${view.name}`, view, tab: kind, body });
}

function issueRow(view: View, issue: Issue): Html {
  const path = issue.pull === null ? 'issues' : 'pull';
  const draft = issue.pull?.isDraft && issue.state === 'open' ? html` <span class="pill">Draft</span>` : '';
  return html`<li>${sign(issue.state)}
<strong><a href="/${view.name}/${path}/${issue.number}">${issue.title}</a></strong>${draft} ${issue.labels.map((one) => labelPill(view, one))}
<div class="muted">#${issue.number} · ${accountOf(view, issue.authorId)?.login ?? 'ghost'} opened ${ago(view, issue.createdAt)}</div></li>`;
}
