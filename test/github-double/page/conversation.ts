// The page of one issue or pull request: what was written, rendered, and where it stands.
import { associationOf } from '../roles.ts';
import type { Comment, Issue, Reaction } from '../state.ts';
import { checkSummary } from './checks.ts';
import { commentEditForm, threadForms } from './forms.ts';
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';
import { labelPill } from './labels.ts';
import { markedAs, reviewEntry } from './reviews.ts';
import { threadHead } from './thread-head.ts';
import { accountOf, ago, author, avatar, rendered, type View } from './view.ts';

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

export async function conversationPage(view: View, issue: Issue): Promise<Html> {
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
<div class="columns"><div>${first}${rest}${issue.pull && checkSummary(view, issue.pull.headSha, issue)}</div>${sidebar(view, issue)}</div></div>
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

async function commentEntry(view: View, comment: Comment): Promise<Html> {
  const more = view.isReading ? html`` : commentEditForm(view, comment);
  if (comment.minimized === null) return entry(view, comment, more);
  const account = accountOf(view, comment.authorId);
  return html`<div class="entry">${avatar(account, 40)}<details class="box minimised" id="issuecomment-${comment.id}">
<summary>${author(account)} · ${markedAs(comment.minimized)}</summary>
<div class="markdown" style="padding:16px">${rendered(view, comment.body)}</div></details></div>`;
}

async function entry(view: View, written: Written, more: Html = html``): Promise<Html> {
  const account = accountOf(view, written.authorId);
  const association = associationOf(view.double.state, view.repository, written.authorId);
  const isEdited = written.id !== 0 && written.updatedAt !== written.createdAt;
  return html`<div class="entry">${avatar(account, 40)}<article class="box"${written.id !== 0 && html` id="issuecomment-${written.id}"`}>
<header>${author(account)} <span>${written.id === 0 ? 'opened' : 'commented'} ${ago(view, written.createdAt)}${isEdited && ' · edited'}</span>
<span class="end">${association !== 'NONE' && html`<span class="pill">${association.charAt(0)}${association.slice(1).toLowerCase()}</span>`}</span></header>
<div class="markdown">${rendered(view, written.body)}</div>${reactions(view, written.reactions)}${more}</article></div>`;
}

function reactions(view: View, given: readonly Reaction[]): Html {
  const counts = Map.groupBy(given, ({ content }) => content);
  if (counts.size === 0) return html``;
  const pills = [...counts].map(
    ([content, all]) =>
      html`<span title="${all.map(({ userId }) => accountOf(view, userId)?.login ?? 'ghost').join(', ')}">${SIGNS[content]} ${all.length}</span>`,
  );
  return html`<div class="reactions">${pills}</div>`;
}

function sidebar(view: View, issue: Issue): Html {
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
