// The top of an issue: what came of it, how sure that is, and what to do next.
import { html } from 'hono/html';
import type { Verdict } from '../../core/check.ts';
import type { Issue, Outcome } from '../../core/issue.ts';
import { SCRIPTED_MODEL } from '../../core/model.ts';
import { isGithubProject, type Project } from '../../core/project.ts';
import { outcomeBadges, percentage } from '../projects/issue-words.ts';
import type { Html } from '../show.ts';
import { issueTitle } from './seen-issue.ts';

const NEXT: Readonly<Record<Outcome, string>> = {
  code_fix: 'read the change, then apply it or have it opened as a pull request',
  action_recommended: 'do what stands under “What to do”',
  needs_information: 'get the questions answered',
  already_fixed: 'update to a version that has the fix',
  not_a_bug: 'close the report, or say what was missed',
  inconclusive: 'add what you know, and hand the report in again',
  facts_only: 'check the places below',
};

const VERDICTS: Readonly<Record<Verdict, string>> = {
  code: 'The check is red because of the code under test.',
  base_broken: 'The check was red before this change: the branch below it is broken.',
  flaky: 'The check is flaky: it passes and fails without a change.',
  infrastructure: 'The machine or a service failed, not the code.',
  inconclusive: 'Whether the change under test broke the check cannot be said.',
};

export function issueHead(issue: Issue, project: Project): Html {
  const { confidence, verdict } = issue.analysis;
  return html`<h1>${issueTitle(issue, 200)}</h1>
<p class="outcome">${outcomeBadges(issue.analysis)}${
    confidence === null ? '' : html` <span>confidence ${percentage(confidence)}</span>`
  } <span class="next"><strong>Next:</strong> ${nextAction(issue, project)}.</span></p>
${verdict === null ? '' : html`<p>${VERDICTS[verdict]}</p>`}
${cutShort(issue)}${scriptedNote(issue)}${sharedNote(issue)}`;
}

function nextAction({ analysis: { outcome, links, suspects } }: Issue, project: Project): string {
  if (links.pullRequest !== null) return 'review the pull request';
  // Without a suspect there is no place to check.
  if (outcome === 'facts_only' && suspects.length === 0) return NEXT.inconclusive;
  return outcome === 'code_fix' && !isGithubProject(project) ? 'read the change, then apply it' : NEXT[outcome];
}

function cutShort({ analysis }: Issue): Html {
  if (!analysis.partial) return html``;
  const words =
    analysis.outcome === 'facts_only'
      ? 'The model gave no answer: what stands here are the facts alone.'
      : 'The investigation was cut short: what stands here is as far as it came.';
  return html`<p class="notice">${words}</p>`;
}

/** It shows how everything around the model works, and nothing about how good a model is. */
function scriptedNote({ analysis: { model } }: Issue): Html {
  if (model !== SCRIPTED_MODEL) return html``;
  return html`<p class="notice">The model's answers come from a script, not from a language model. The lookups, the checks of the quotes and the patch are real.</p>`;
}

function sharedNote({ analysis: { sameAs } }: Issue): Html {
  if (sameAs === null) return html``;
  return html`<p class="notice">Answered from an equal report: <a href="/issues/${sameAs}">the first issue of it</a>.</p>`;
}
