// The record behind an issue: in one line and in full, the steps of its investigation by what they were for, and its report.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { describeContext, describeCost, formatDuration, type Issue, nameLook } from '../core/issue/index.ts';
import { describeFate } from '../core/outcome/index.ts';
import type { Project } from '../core/project/index.ts';
import { nameProof } from '../core/proof/index.ts';
import type { RunPart, RunParts } from '../services/index.ts';
import {
  checkOwnAddress,
  cutToWholeLines,
  describeOrigin,
  formatCount,
  formatPlural,
  getNumberText,
  NOTHING,
  renderCommit,
  renderJoined,
  renderMoment,
  renderOwnLink,
  renderPlainLine,
  renderSection,
  renderStepRows,
} from './components.ts';
import type { Html } from './layout.ts';
import type { TextLinks } from './text.ts';

const STEP_LIMITS = { lines: 400, characters: 20_000 };

interface RecordedIssue {
  readonly issue: Issue;
  readonly project: Project;
  readonly run: RunParts;
  readonly links: TextLinks;
  /** `url` is on the project's own host. */
  readonly pullRequest: { readonly url: string; readonly state: string } | null;
  /** Login of the account that submitted the report; "" if it is not known. */
  readonly requestedBy: string;
  readonly address: string;
}

/** A part of the page that opens; `count`: how much is in it, "" for nothing to say. */
export function renderFoldedSection(id: string, title: string, count: string, body: Html): Html {
  return html`<section aria-labelledby="${id}"><details class="fold"><summary><h2 id="${id}">${title}</h2>${count === '' ? '' : html` <span class="soft">${count}</span>`}</summary>${body}</details></section>`;
}

export function renderRecordLine({ issue, project, pullRequest }: RecordedIssue): Html {
  const { revision, usage } = issue.analysis;
  const parts = [
    html`<a href="/projects/${project.id}">${sanitiseLine(project.name, 200)}</a>`,
    ...(revision === '' ? [] : [html`commit ${renderCommit(project, revision)}`]),
    ...(pullRequest === null
      ? []
      : [html`pull request <a href="${pullRequest.url}">${getNumberText(pullRequest.url)}</a> ${pullRequest.state}`]),
    renderMoment(issue.createdAt),
    `took ${formatDuration(usage.seconds)}`,
    describeCost(issue.analysis),
  ];
  return html`<p class="record soft">${renderJoined(parts, ' · ')}</p>`;
}

const PHASES: Readonly<Record<RunPart['phase'], string>> = {
  reads: 'Read the report',
  searches: 'Searched the source',
  asks: 'Asked the model',
  verifies: 'Verified the answer',
};

/** The steps by what they were for, each part folded. */
export function renderTimeline({ issue, run, links }: RecordedIssue): Html {
  const { investigationSteps: steps, analysis } = issue;
  if (steps.length === 0) return NOTHING;
  const { parts, waited } = run;
  const parted = parts.map(({ phase, steps: own, seconds }) => {
    const isChecked = phase === 'verifies';
    const count = isChecked ? analysis.citations.length : own.length;
    const counted = count === 0 ? [] : [formatPlural(count, isChecked ? 'quote' : 'step')];
    const turns = phase === 'asks' ? [formatPlural(analysis.usage.turns, 'turn')] : [];
    const body = isChecked ? renderChecked(issue) : renderStepRows(own, links, STEP_LIMITS);
    return html`<li><details><summary><strong>${PHASES[phase]}</strong>${
      seconds === null ? '' : html` <span class="soft took">${formatDuration(seconds)}</span>`
    } <span class="soft counts">${[...counted, ...turns].join(', ')}</span></summary>${body}</details></li>`;
  });
  const wait =
    waited === null || waited < 1 ? '' : html`<p class="hint">It waited ${formatDuration(waited)} for its turn.</p>`;
  return renderSection('timeline', 'Investigation', html`<ol class="phases">${parted}</ol>${wait}`);
}

function renderChecked({ analysis, diff }: Issue): Html {
  const { citations, revision, secondLook, proof } = analysis;
  const quotes = citations.length === 1 ? 'The quote was' : `All ${formatCount(citations.length)} quotes were`;
  const checked = [
    ...(citations.length === 0 ? [] : [`${quotes} found word for word in the results of the steps.`]),
    ...(diff.files.length === 0 ? [] : [`The change applies to ${sanitiseLine(revision, 64).slice(0, 7)}.`]),
    ...(secondLook === null ? [] : [`${nameLook(secondLook)}.`]),
    ...(proof === null ? [] : [`${nameProof(proof)}.`]),
  ];
  if (checked.length === 0) return html`<p class="soft">There was nothing that could be checked.</p>`;
  return html`<ul>${checked.map((line) => html`<li>${line}</li>`)}</ul>`;
}

export function renderReport({ analysis }: Issue): Html {
  const { text, lines, cut } = cutToWholeLines(analysis.report, 2_000, 120_000);
  const body = html`<pre><code>${text}</code></pre>${cut === '' ? '' : html`<p class="hint">${cut}</p>`}`;
  return renderFoldedSection('report', 'Report', formatPlural(lines, 'line'), body);
}

/** What became of it, in one line. */
function renderOutcomeLine(project: Project, { analysis: { outcomes } }: Issue): Html | '' {
  if (outcomes === null) return '';
  const { votes, url, commit, remarks } = outcomes;
  const said = [
    ...(votes.right > 0 ? [`${formatPlural(votes.right, 'person', 'people')} found it right`] : []),
    ...(votes.wrong > 0 ? [`${formatPlural(votes.wrong, 'person', 'people')} found it wrong`] : []),
  ];
  const link =
    url === '' ? renderCommitOrNothing(project, commit) : html` (${renderOwnLink(project, url, 'pull request')})`;
  return html`<dt>Outcome</dt><dd>${describeFate(outcomes)}${link}${said.length === 0 ? '' : ` · ${said.join(', ')}`}
${remarks.map((remark) => html`<span class="soft below">“${renderPlainLine(remark, 400)}”</span>`)}</dd>`;
}

function renderCommitOrNothing(project: Project, commit: string): Html | '' {
  return commit === '' ? '' : html` (${renderCommit(project, commit)})`;
}

/** What the line above does not have. */
export function renderIssueDetails({ issue, project, requestedBy, address }: RecordedIssue): Html {
  const { links, origin, reference, investigationId, context } = issue.analysis;
  const onGithub = [
    ...(checkOwnAddress(project, links.comment) === '' ? [] : [renderOwnLink(project, links.comment, 'comment')]),
    ...(checkOwnAddress(project, links.checkRun) === '' ? [] : [renderOwnLink(project, links.checkRun, 'check run')]),
  ];
  const body = html`<dl class="facts">
${renderOutcomeLine(project, issue)}
${renderIssueOwnership(issue)}
${context.length === 0 ? '' : html`<dt>Other repositories</dt><dd>${context.map((each) => html`<span class="below">${sanitiseLine(describeContext(each), 300)}</span>`)}</dd>`}
${onGithub.length === 0 ? '' : html`<dt>On GitHub</dt><dd>${renderJoined(onGithub)}</dd>`}
<dt>From</dt><dd>${describeOrigin(origin)}${reference === '' ? '' : html` · ${renderPlainLine(reference)}`}</dd>
${requestedBy === '' ? '' : html`<dt>Requested by</dt><dd>${sanitiseLine(requestedBy, 60)}</dd>`}
${renderUsage(issue)}
<dt>Investigation</dt><dd><a href="/investigations/${investigationId}?steps=1">Steps only</a></dd>
<dt>Permanent link</dt><dd><code id="address">${address}</code>
<button type="button" class="plain" data-copy="address" hidden>Copy</button></dd></dl>`;
  return renderFoldedSection('record', 'Details', '', body);
}

function renderIssueOwnership({ analysis: { ownership } }: Issue): Html | '' {
  if (ownership === null) return '';
  const { owners, scope } = ownership;
  return html`${owners.length === 0 ? '' : html`<dt>Owners</dt><dd>${sanitiseLine(owners.join(', '), 400)}</dd>`}
${scope.length === 0 ? '' : html`<dt>Scope</dt><dd><code>${sanitiseLine(scope.join(' '), 400)}</code></dd>`}`;
}

function renderUsage({ analysis: { model, secondLook, usage } }: Issue): Html {
  if (model === null) return html`<dt>Model</dt><dd>none: facts only, at no cost</dd>`;
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens = 0, turns } = usage;
  const written = cacheWriteTokens === 0 ? '' : `, ${formatCount(cacheWriteTokens)} written to the cache`;
  return html`<dt>Model</dt><dd>${sanitiseLine(model, 100)}, ${formatPlural(turns, 'turn')}${secondLook === null ? '' : ', with the second review'}</dd>
<dt>Tokens</dt><dd>${formatCount(promptTokens + completionTokens)}: ${formatCount(promptTokens)} in (${formatCount(cachedTokens)} cached${written}), ${formatCount(completionTokens)} out</dd>`;
}
