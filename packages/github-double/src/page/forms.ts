// What one can do on the pages, always as one of the people who exist there.
import { grantOf } from '../lookup.ts';
import type { CheckRun, Comment, GithubAccount, GithubIssue, ReviewRemark } from '../state.ts';
import { branchesOf, html, type PageHtml, type PageView } from './frame.ts';

/**
 * Everybody, with what they may do here: who has write, who can triage, who is a stranger; and bots with a role. Chosen at first: the author of
 * what the form is about if it is a person, otherwise the first who has write, as whom most is done.
 */
function renderPeople({ double, repository }: PageView, authorId: number | null = null): PageHtml {
  const roleOf = (one: GithubAccount) => grantOf(double.state, repository, one).roleName;
  const all = [...double.state.accounts.values()].filter(
    ({ id, type }) => type === 'User' || repository.collaborators.has(id),
  );
  const persons = all.filter(({ type }) => type === 'User');
  const chosen = persons.find(({ id }) => id === authorId) ?? persons.find((one) => roleOf(one) === 'write');
  const options = all.map(
    (one) =>
      html`<option value="${one.login}"${one === chosen && html` selected`}>${one.login} (${roleOf(one) || 'no access'})</option>`,
  );
  return html`as <select name="by" aria-label="as">${options}</select>`;
}

function form(view: PageView, act: string, content: PageHtml): PageHtml {
  return html`<form method="post" action="/${view.name}/-/${act}">${content}</form>`;
}

function button(act: string, label: string): PageHtml {
  return html`<button name="act" value="${act}">${label}</button> `;
}

export function threadForms(view: PageView, issue: GithubIssue): PageHtml {
  const labels = [...new Set(['analyse', ...[...view.repository.labels.values()].map(({ name }) => name)])];
  const to = `${issue.number}`;
  return html`<section class="forms" aria-label="Act"><h2>Act on the double</h2>
${form(view, `${to}/comment`, html`<textarea name="body" aria-label="Comment" placeholder="Add a comment, such as /analyse"></textarea>${renderPeople(view)} <button class="go">Comment</button>`)}
${form(
  view,
  `${to}/label`,
  html`<input type="text" name="label" list="labels" value="analyse" size="14" aria-label="Label"><datalist id="labels">${labels.map((one) => html`<option value="${one}">`)}</datalist>
${renderPeople(view)} ${button('add', 'Add label')}${button('remove', 'Remove label')}`,
)}
${form(view, `${to}/state`, html`${renderPeople(view)} ${stateButtons(issue)}`)}
<details><summary>Edit title and text</summary>${form(
    view,
    `${to}/edit`,
    html`<p><input type="text" name="title" value="${issue.title}" size="80" aria-label="Title"></p><textarea name="body" aria-label="Text" rows="10">${issue.body ?? ''}</textarea>
${renderPeople(view, issue.authorId)} <button>Save</button>`,
  )}</details>
${issue.pull && form(view, `${to}/check`, checkFields())}</section>`;
}

function stateButtons({ state, pull }: GithubIssue): PageHtml {
  if (state === 'closed') return pull?.mergedAt ? html`` : button('reopen', 'Reopen');
  if (pull === null) return html`${button('close', 'Close')}`;
  return html`${button('merge', 'Merge')}${button('close', 'Close')}${pull.isDraft ? button('ready', 'Ready for review') : button('draft', 'Convert to draft')}`;
}

function checkFields(): PageHtml {
  return html`CI ends <select name="conclusion" aria-label="CI"><option value="success">green</option><option value="failure">red</option></select>
<details><summary>with this log</summary><textarea name="log" aria-label="Log">Error: expected 1 to equal 2
    at test/coupons.test.js:7:3</textarea></details><button>Report</button>
<span class="muted">by GitHub Actions, on this commit</span>`;
}

/** For a commit of its own, such as the default branch's. */
export function commitCheckForm(view: PageView, sha: string): PageHtml {
  return html`<section class="forms" aria-label="Act"><h2>Act on the double</h2>${form(view, `commit/${sha}/check`, checkFields())}</section>`;
}

export function commentEditForm(view: PageView, comment: Comment): PageHtml {
  return html`<details style="padding:0 16px 8px"><summary class="muted">Edit</summary>${form(
    view,
    `comments/${comment.id}`,
    html`<textarea name="body" aria-label="Text" rows="6">${comment.body}</textarea>${renderPeople(view, comment.authorId)} ${button('edit', 'Save')}${button('delete', 'Delete')}`,
  )}</details>`;
}

export function newIssueForm(view: PageView): PageHtml {
  return html`<section class="forms" aria-label="Act"><h2>Open an issue</h2>${form(
    view,
    'issues',
    html`<p><input type="text" name="title" size="80" placeholder="Title" aria-label="Title" required></p>
<textarea name="body" aria-label="Text" rows="8"></textarea>
<p><input type="text" name="label" placeholder="label of a template" aria-label="Label"> ${renderPeople(view)} <button class="go">Open</button></p>`,
  )}</section>`;
}

export async function pushForm(view: PageView): Promise<PageHtml> {
  const path = html`<input type="text" name="path" placeholder="path/of/file" aria-label="Path" required>`;
  const content = html`<textarea name="content" aria-label="Content" placeholder="The whole file"></textarea>`;
  return changeForm(view, { title: 'Push a change of one file', branch: view.repository.defaultBranch, path, content });
}

/** On a branch of its own with a pull request, as GitHub's editor proposes it. */
export async function editFileForm(view: PageView, path: string, text: string): Promise<PageHtml> {
  const rows = Math.min(40, text.split('\n').length + 1);
  const branches = await branchesOf(view);
  const stem = `${path.replace(/^.*\//, '').replace(/\.[^.]*$/, '')}-change`;
  const isFree = (branch: string) => !branches.includes(branch);
  const branch = [stem, ...branches.map((_, at) => `${stem}-${at + 2}`)].find(isFree) ?? stem;
  return changeForm(view, {
    title: 'Edit this file',
    branch,
    path: html`<input type="hidden" name="path" value="${path}">`,
    // A browser drops a newline at the beginning of the element.
    content: html`<textarea name="content" aria-label="Content" rows="${rows}">\n${text}</textarea>`,
    opensPull: true,
  });
}

interface ChangeForm {
  readonly title: string;
  readonly branch: string;
  readonly path: PageHtml;
  readonly content: PageHtml;
  readonly opensPull?: boolean;
}

async function changeForm(
  view: PageView,
  { title, branch, path, content, opensPull = false }: ChangeForm,
): Promise<PageHtml> {
  const branches = await branchesOf(view);
  return html`<section class="forms" aria-label="Act"><h2>${title}</h2>${form(
    view,
    'push',
    html`<p><input type="text" name="branch" list="branches" value="${branch}" aria-label="Branch">
<datalist id="branches">${branches.map((one) => html`<option value="${one}">`)}</datalist>
${path}
<input type="text" name="message" placeholder="Commit message" aria-label="Message"></p>
${content}
<p>${renderPeople(view)} <label><input type="checkbox" name="pull" value="yes"${opensPull && html` checked`}> and open a pull request</label> <button class="go">Push</button></p>`,
  )}</section>`;
}

/** Commits what a remark suggests. */
export function suggestionForm(view: PageView, comment: ReviewRemark): PageHtml {
  const fields = html`<button class="go">Commit suggestion</button> ${renderPeople(view)}`;
  return form(view, `suggestions/${comment.id}`, fields);
}

/** The buttons that its App gave it, and the one that asks for the run again. */
export function checkForms(view: PageView, run: CheckRun): PageHtml {
  const buttons = run.actions.map(({ label, identifier }) => button(identifier, label));
  return html`<section class="forms" aria-label="Act"><h2>Act on the double</h2>${form(
    view,
    `runs/${run.id}`,
    html`${renderPeople(view)} ${buttons}${button('', 'Re-run')}`,
  )}</section>`;
}
