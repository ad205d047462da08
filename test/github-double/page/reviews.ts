// Reviews in a conversation: what was said, remarks at lines with their piece of the diff, and suggestions as small diffs.
import { entryAt, readBlob } from '../git/read-objects.ts';
import { associationOf } from '../roles.ts';
import type { Review, ReviewComment } from '../state-pulls.ts';
import { suggestionIn } from '../suggestion.ts';
import { diffTable } from './diff-table.ts';
import { suggestionForm } from './forms.ts';
import { type Html, html } from './html.ts';
import { accountOf, ago, author, avatar, inAddress, rendered, type View } from './view.ts';

const DID = {
  APPROVED: 'approved these changes',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'reviewed',
  PENDING: 'began a review',
} as const;
/** Of the hunk above a remark at one line, as on GitHub. */
const LINES_SHOWN = 4;

export async function reviewEntry(view: View, review: Review): Promise<Html> {
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

export function markedAs(reason: string): string {
  return `This comment was marked as ${reason.toLowerCase().replaceAll('_', ' ')}.`;
}

/** The remark with the lines that it is about. */
async function remarkBox(view: View, comment: ReviewComment): Promise<Html> {
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
export async function remarkText(view: View, comment: ReviewComment): Promise<Html> {
  const suggested = suggestionIn(comment.body);
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

function suggestedLine(kind: string, number: number, text: string): Html {
  return html`<tr class="${kind}"><td class="no">${number}</td><td>${text}</td></tr>`;
}

async function linesAt(view: View, comment: ReviewComment, start: number): Promise<readonly string[]> {
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
