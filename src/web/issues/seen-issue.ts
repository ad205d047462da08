// The Issue of an address, as far as whoever asks may see it; and what all of its pages share.
import type { Context } from 'hono';
import { inertLine } from '../../core/inert-text.ts';
import type { Issue } from '../../core/issue.ts';
import type { Project } from '../../core/project.ts';
import { NO_LINKS, type SourceLinks, sourceLinks } from '../../core/source-links.ts';
import { type Seen, visibleIssue } from '../../services/access.ts';
import { repositoryPage } from '../projects/github-links.ts';
import { crumbsOf } from '../projects/seen-project.ts';
import { refuseAbsentPage } from '../refusal.ts';
import type { Crumb } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';

export type SeenIssue = Seen<{ readonly issue: Issue; readonly project: Project }>;

/** Foreign and absent are refused alike. */
export async function seenIssue(c: Context<WebEnv>, deps: WebDeps): Promise<SeenIssue> {
  return (await visibleIssue(deps, c.get('asking'), c.req.param('issueId') ?? '')) ?? refuseAbsentPage();
}

/** What the report is about, in one line of at most `max` characters. */
export function issueTitle({ problem, id }: Pick<Issue, 'problem' | 'id'>, max: number): string {
  const first = problem
    .split('\n')
    .map((line) => inertLine(line.replace(/^#{1,6}\s+/, ''), max))
    .find((line) => line !== '');
  return first ?? id;
}

export function issueCrumbs({ issue, project }: SeenIssue, ...steps: readonly Crumb[]): readonly Crumb[] {
  return crumbsOf(project, { text: issueTitle(issue, 60), href: `/issues/${issue.id}` }, ...steps);
}

/** Places in the source on GitHub, at the commit that was looked at; none for other projects. */
export function placesOf(project: Project, issue: Issue): SourceLinks {
  const [, webUrl = '', repository = ''] = /^(https:\/\/.+)\/([^/]+\/[^/]+)$/.exec(repositoryPage(project)) ?? [];
  return webUrl === '' ? NO_LINKS : sourceLinks({ webUrl, repository }, issue);
}
