// What one can do on the pages, always as one of the people who exist there.
import { grantOf } from '../lookup.ts';
import type { CheckRun, Comment, Issue, ReviewComment } from '../state.ts';
import { branchesOf, type Html, html, type View } from './frame.ts';

/** Everybody, with what they may do here: who has write, who can triage, who is a stranger. */
function people({ double, repository }: View): Html {
  const persons = [...double.state.accounts.values()].filter(({ type }) => type === 'User');
  const options = persons.map(
    (one) =>
      html`<option value="${one.login}">${one.login} (${grantOf(double.state, repository, one).roleName || 'no access'})</option>`,
  );
  return html`as <select name="by" aria-label="as">${options}</select>`;
}

function form(view: View, act: string, content: Html): Html {
  return html`<form method="post" action="/${view.name}/-/${act}">${content}</form>`;
}

function button(act: string, label: string): Html {
  return html`<button name="act" value="${act}">${label}</button> `;
}

export function threadForms(view: View, issue: Issue): Html {
  const labels = [...new Set(['analyse', ...[...view.repository.labels.values()].map(({ name }) => name)])];
  const to = `${issue.number}`;
  return html`<section class="forms" aria-label="Act"><h2>Act on the double</h2>
${form(view, `${to}/comment`, html`<textarea name="body" aria-label="Comment" placeholder="Add a comment, such as /analyse"></textarea>${people(view)} <button class="go">Comment</button>`)}
${form(
  view,
  `${to}/label`,
  html`<input type="text" name="label" list="labels" value="analyse" size="14" aria-label="Label"><datalist id="labels">${labels.map((one) => html`<option value="${one}">`)}</datalist>
${people(view)} ${button('add', 'Add label')}${button('remove', 'Remove label')}`,
)}
${form(view, `${to}/state`, html`${people(view)} ${stateButtons(issue)}`)}
<details><summary>Edit title and text</summary>${form(
    view,
    `${to}/edit`,
    html`<p><input type="text" name="title" value="${issue.title}" size="80" aria-label="Title"></p><textarea name="body" aria-label="Text" rows="10">${issue.body ?? ''}</textarea>
${people(view)} <button>Save</button>`,
  )}</details>
${issue.pull && form(view, `${to}/check`, checkFields())}</section>`;
}

function stateButtons({ state, pull }: Issue): Html {
  if (state === 'closed') return pull?.mergedAt ? html`` : button('reopen', 'Reopen');
  if (pull === null) return html`${button('close', 'Close')}`;
  return html`${button('merge', 'Merge')}${button('close', 'Close')}${pull.isDraft ? button('ready', 'Ready for review') : button('draft', 'Convert to draft')}`;
}

function checkFields(): Html {
  return html`CI ends <select name="conclusion" aria-label="CI"><option value="success">green</option><option value="failure">red</option></select>
<details><summary>with this log</summary><textarea name="log" aria-label="Log">Error: expected 1 to equal 2
    at test/coupons.test.js:7:3</textarea></details><button>Report</button>
<span class="muted">by GitHub Actions, on this commit</span>`;
}

/** For a commit of its own, such as the default branch's. */
export function commitCheckForm(view: View, sha: string): Html {
  return html`<section class="forms" aria-label="Act"><h2>Act on the double</h2>${form(view, `commit/${sha}/check`, checkFields())}</section>`;
}

export function commentEditForm(view: View, comment: Comment): Html {
  return html`<details style="padding:0 16px 8px"><summary class="muted">Edit</summary>${form(
    view,
    `comments/${comment.id}`,
    html`<textarea name="body" aria-label="Text" rows="6">${comment.body}</textarea>${people(view)} ${button('edit', 'Save')}${button('delete', 'Delete')}`,
  )}</details>`;
}

export function newIssueForm(view: View): Html {
  return html`<section class="forms" aria-label="Act"><h2>Open an issue</h2>${form(
    view,
    'issues',
    html`<p><input type="text" name="title" size="80" placeholder="Title" aria-label="Title" required></p>
<textarea name="body" aria-label="Text" rows="8"></textarea>
<p><input type="text" name="label" placeholder="label of a template" aria-label="Label"> ${people(view)} <button class="go">Open</button></p>`,
  )}</section>`;
}

export async function pushForm(view: View): Promise<Html> {
  const branches = await branchesOf(view);
  return html`<section class="forms" aria-label="Act"><h2>Push a change of one file</h2>${form(
    view,
    'push',
    html`<p><input type="text" name="branch" list="branches" value="${view.repository.defaultBranch}" aria-label="Branch">
<datalist id="branches">${branches.map((one) => html`<option value="${one}">`)}</datalist>
<input type="text" name="path" placeholder="path/of/file" aria-label="Path" required>
<input type="text" name="message" placeholder="Commit message" aria-label="Message"></p>
<textarea name="content" aria-label="Content" placeholder="The whole file"></textarea>
<p>${people(view)} <label><input type="checkbox" name="pull" value="yes"> and open a pull request</label> <button class="go">Push</button></p>`,
  )}</section>`;
}

/** Commits what a remark suggests. */
export function suggestionForm(view: View, comment: ReviewComment): Html {
  const fields = html`<button class="go">Commit suggestion</button> ${people(view)}`;
  return form(view, `suggestions/${comment.id}`, fields);
}

/** The buttons that its App gave it, and the one that asks for the run again. */
export function checkForms(view: View, run: CheckRun): Html {
  const buttons = run.actions.map(({ label, identifier }) => button(identifier, label));
  return html`<section class="forms" aria-label="Act"><h2>Act on the double</h2>${form(
    view,
    `runs/${run.id}`,
    html`${people(view)} ${buttons}${button('', 'Re-run')}`,
  )}</section>`;
}
