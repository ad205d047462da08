// An issue as people read it: what came of it and what to do next on top, how that is known below.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import type { ChangeSet } from '../../core/change-set.ts';
import type { Issue } from '../../core/issue.ts';
import { mayErase } from '../../services/access.ts';
import { doneNotice } from '../done-notice.ts';
import type { TextLinks } from '../rich-text.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { type Actions, actionsPart, pullRequestOffer } from './issue-actions.ts';
import { causeSection, problemSection } from './issue-cause.ts';
import { changeSection } from './issue-change.ts';
import { guardsSection } from './issue-guards.ts';
import { issueHead } from './issue-head.ts';
import { recordSection, reportSection, timelineSection } from './issue-record.ts';
import { suspectsSection } from './issue-suspects.ts';
import { questionsSection, reproductionSection, solutionSection } from './issue-todo.ts';
import { issueCrumbs, issueTitle, placesOf, type SeenIssue, seenIssue } from './seen-issue.ts';

const DONE = {
  requested: 'The pull request is being opened. Its address stands here within a minute or so.',
  open: 'The pull request is open already; it is brought up to date.',
};

/** GET /issues/{issueId} */
export function getIssue(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await seenIssue(c, deps);
    const { issue } = seen;
    const asking = c.get('asking');
    const signedIn = c.get('signedIn');
    const changeSet = await deps.store.changeSet(issue.id);
    const actions: Actions = {
      offer: await pullRequestOffer(deps, seen, asking),
      hasPatch: issue.diff.files.length > 0,
      mayErase: await mayErase(deps, asking, seen),
      signedIn,
    };
    const address = `${deps.baseUrl()}/issues/${issue.id}`;
    return show(c, deps, {
      title: issueTitle(issue, 100),
      body: html`${doneNotice(c, DONE)}${issueBody(seen, { actions, changeSet, address })}`,
      section: 'projects',
      crumbs: issueCrumbs(seen),
      isWide: issue.diff.files.length > 0,
    });
  };
}

interface Around {
  readonly actions: Actions;
  readonly changeSet: ChangeSet | null;
  readonly address: string;
}

function issueBody(seen: SeenIssue, { actions, changeSet, address }: Around): Html {
  const { issue, project } = seen;
  const links: TextLinks = { source: placesOf(project, issue), steps: issue.investigationSteps.length };
  const suspects = suspectsSection(issue, links);
  const pointsFirst = issue.analysis.outcome === 'facts_only' || issue.analysis.outcome === 'inconclusive';
  return html`${issueHead(issue, project)}
${actionsPart(seen, actions)}
${onThisPage(issue)}
${causeSection(issue, links)}
${pointsFirst ? suspects : ''}
${solutionSection(issue, links)}
${questionsSection(issue, links)}
${changeSection({ issueId: issue.id, changeSet, links })}
${guardsSection(issue, links)}
${reproductionSection(issue, links)}
${problemSection(issue, links)}
${pointsFirst ? '' : suspects}
${timelineSection(issue, links)}
${reportSection(issue)}
${recordSection(issue, project, address)}`;
}

function onThisPage(issue: Issue): Html {
  const { analysis } = issue;
  const parts: readonly (readonly [id: string, text: string, isThere: boolean])[] = [
    ['cause', 'Cause', true],
    ['rests-on', 'What it rests on', analysis.citations.length > 0],
    ['solution', 'What to do', issue.solutionSteps.length > 0],
    ['questions', 'Questions', analysis.questions.length > 0],
    ['change', 'Change', issue.diff.files.length > 0],
    ['why-not', 'Why not a pull request', analysis.guards.some(({ rule }) => rule.startsWith('never/'))],
    ['reproduction', 'Reproduction', issue.stepsToReproduce.length > 0],
    ['suspects', 'Suspects', analysis.suspects.length > 0],
    ['timeline', 'Steps', issue.investigationSteps.length > 0],
    ['report', 'Report', true],
    ['record', 'Record', true],
  ];
  const there = parts.filter(([, , isThere]) => isThere);
  return html`<nav aria-label="On this page" class="on-page"><ul>${there.map(
    ([id, text]) => html`<li><a href="#${id}">${text}</a></li>`,
  )}</ul></nav>`;
}
