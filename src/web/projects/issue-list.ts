// The issues of a project, a page of them: what came of each, by its first sentence.
import { html } from 'hono/html';
import type { Project } from '../../core/project.ts';
import type { IssueLine } from '../../db/store.ts';
import type { Html } from '../show.ts';
import { line, moment } from '../words.ts';
import { numberIn, ownLink } from './github-links.ts';
import { firstSentence, originWord, outcomeBadges, percentage } from './issue-words.ts';

/** `next`: whether more follow; `isFirst`: whether it is the page with the newest. */
export function issueList(
  project: Project,
  lines: readonly IssueLine[],
  { hasNext, isFirst }: { readonly hasNext: boolean; readonly isFirst: boolean },
): Html {
  return html`<table class="cards ledger"><caption class="hidden">Issues, the newest first</caption>
<thead><tr><th scope="col">Outcome</th><th scope="col">Cause</th><th scope="col" class="number">Confidence</th><th scope="col">From</th>
<th scope="col">When</th><th scope="col">Pull request</th></tr></thead>
<tbody>${lines.map((issue) => issueRow(project, issue))}</tbody></table>
${pages(project, { isFirst, next: hasNext ? lines.at(-1)?.id : undefined })}`;
}

function issueRow(project: Project, issue: IssueLine): Html {
  const { id, rootCause, problem, confidence, origin, reference, createdAt, pullRequest } = issue;
  const sentence = firstSentence(rootCause) || firstSentence(problem) || id;
  return html`<tr><td>${outcomeBadges(issue)}</td><th scope="row"><a class="row-link" href="/issues/${id}">${line(sentence)}</a>
${reference === '' ? '' : html`<span class="soft below">${line(reference, 200)}</span>`}</th>
<td class="number" data-label="Confidence">${confidence === null ? '' : percentage(confidence)}</td>
<td data-label="From">${originWord(origin)}</td>
<td data-label="When">${moment(createdAt)}</td>
<td data-label="Pull request">${pullRequest === null ? '' : ownLink(project, pullRequest, numberIn(pullRequest))}</td></tr>`;
}

function pages(
  { id }: Project,
  { isFirst, next }: { readonly isFirst: boolean; readonly next: string | undefined },
): Html {
  if (isFirst && next === undefined) return html``;
  return html`<nav aria-label="Pages of issues" class="actions">
${isFirst ? '' : html`<a class="button" href="/projects/${id}">Newest</a>`}
${next === undefined ? '' : html`<a class="button" href="/projects/${id}?after=${next}" rel="next">Older</a>`}</nav>`;
}
