// The record behind an issue: every step, the report as it was accepted, what it took, and where else it stands.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Issue } from '../../core/issue.ts';
import type { Project } from '../../core/project.ts';
import { cutResult } from '../investigations/cut-result.ts';
import { stepList } from '../investigations/step-list.ts';
import { commitLink } from '../projects/github-links.ts';
import { originWord } from '../projects/issue-words.ts';
import type { TextLinks } from '../rich-text.ts';
import type { Html } from '../show.ts';
import { count, dollars, line, moment, plural } from '../words.ts';
import { namedLink } from './own-links.ts';

const STEP_LIMITS = { lines: 400, characters: 20_000 };
const REPORT_LIMITS = { lines: 2_000, characters: 120_000 };

export function timelineSection({ investigationSteps: steps }: Issue, links: TextLinks): Html {
  if (steps.length === 0) return html``;
  return html`<section aria-labelledby="timeline"><h2 id="timeline">How it was investigated</h2>
<p class="soft">${plural(steps.length, 'step')}, each with its exact query. What it gave is folded.</p>
${stepList(steps, { links, limits: STEP_LIMITS })}</section>`;
}

export function reportSection({ analysis }: Issue): Html {
  const { text, lines, cut } = cutResult(analysis.report, REPORT_LIMITS);
  return html`<section aria-labelledby="report"><h2 id="report">Report</h2>
<details><summary>As it was accepted, ${plural(lines, 'line')}</summary><pre><code>${text}</code></pre>
${cut === '' ? '' : html`<p class="hint">${cut}</p>`}</details></section>`;
}

export function recordSection(issue: Issue, project: Project, address: string): Html {
  const { analysis, createdAt } = issue;
  const { links } = analysis;
  const elsewhere = [
    namedLink(project, links.pullRequest, 'pull request'),
    namedLink(project, links.comment, 'comment'),
    namedLink(project, links.checkRun, 'check run'),
  ].filter((link) => link !== null);
  return html`<section aria-labelledby="record"><h2 id="record">Record</h2><dl class="facts">
<dt>From</dt><dd>${originWord(analysis.origin)}${analysis.reference === '' ? '' : html` · ${line(analysis.reference)}`}</dd>
<dt>Concluded</dt><dd>${moment(createdAt)}</dd>
<dt>Commit</dt><dd>${analysis.revision === '' ? '–' : commitLink(project, analysis.revision)}</dd>
${usageFacts(issue)}
${elsewhere.length === 0 ? '' : html`<dt>On GitHub</dt><dd>${elsewhere.map((link, at) => html`${at === 0 ? '' : ', '}${link}`)}</dd>`}
<dt>Investigation</dt><dd><a href="/investigations/${analysis.investigationId}?steps=1">its steps alone</a></dd>
<dt>Permanent address</dt><dd><code id="address">${address}</code>
<button type="button" class="plain" data-copy="address" hidden>Copy</button></dd></dl></section>`;
}

function usageFacts({ analysis: { model, usage } }: Issue): Html {
  const took = html`<dt>Duration</dt><dd>${duration(usage.seconds)}</dd>`;
  if (model === null) return html`<dt>Model</dt><dd>none: facts only, at no cost</dd>${took}`;
  const tokens = usage.promptTokens + usage.completionTokens;
  return html`<dt>Model</dt><dd>${inertLine(model, 100)}, ${plural(usage.turns, 'turn')}</dd>
<dt>Tokens</dt><dd>${count(tokens)}: ${count(usage.promptTokens)} read (${cachedWords(usage)}), ${count(usage.completionTokens)} written</dd>
<dt>Cost</dt><dd>${usage.costUsd > 0 ? dollars(usage.costUsd) : 'no price known'}</dd>${took}`;
}

function cachedWords({ cachedTokens, cacheWriteTokens = 0 }: Issue['analysis']['usage']): string {
  const written = cacheWriteTokens === 0 ? '' : `, ${count(cacheWriteTokens)} written to the cache`;
  return `${count(cachedTokens)} of them cached${written}`;
}

function duration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 90 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
