// An issue as Markdown, to be pasted into a ticket: whatever a model or a stranger wrote in it does nothing there.
import type { Handler } from 'hono';
import type { ChangeSet } from '../../core/change-set.ts';
import { toUnifiedPatch } from '../../core/diff/unified-patch.ts';
import type { Issue, Outcome, Step } from '../../core/issue.ts';
import { bullet, codeSpan, fenced, inertInline, inertMarkdown } from '../../core/markdown/github.ts';
import type { Project } from '../../core/project.ts';
import { addSources, type ShownIssue, type SourcedIssue, shownIssue } from '../../core/shown-issue.ts';
import type { SourceLinks } from '../../core/source-links.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { plural } from '../words.ts';
import { issueTitle, placesOf, seenIssue } from './seen-issue.ts';

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  code_fix: 'Cause found, with a fix',
  action_recommended: 'Cause found, with something to do',
  needs_information: 'More information is needed',
  already_fixed: 'Already fixed',
  not_a_bug: 'Not a bug',
  inconclusive: 'The cause was not found',
  facts_only: 'Facts only, no model was asked',
};
const MAX_TEXT = 8_000;
const MAX_PATCH = 40_000;
const MOST = 30;

export interface MarkdownGround {
  readonly issue: SourcedIssue;
  readonly project: Project;
  /** Null: it cannot be read; the change is left out. */
  readonly changeSet: ChangeSet | null;
  /** Of the issue's page. */
  readonly address: string;
}

/** GET /issues/{issueId}/markdown: as plain text, to be read and saved. */
export function getMarkdown(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const { issue, project } = await seenIssue(c, deps);
    const changeSet = await deps.store.changeSet(issue.id);
    const sources = await deps.store.stepSources(issue.id);
    const address = `${deps.baseUrl()}/issues/${issue.id}`;
    return c.text(issueMarkdown({ issue: addSources(issue, sources), project, changeSet, address }));
  };
}

/** Ends with a line feed. Of a public repository, what monitoring systems told is left out, as on GitHub: tickets are public there. */
export function issueMarkdown({ issue: whole, project, changeSet, address }: MarkdownGround): string {
  const shown = shownIssue(whole, { isPublic: project.source.kind === 'github' && !project.source.isPrivate });
  const { issue } = shown;
  const links = placesOf(project, issue);
  const blocks = [
    `## ${inertInline(issueTitle(issue, 200), 200)}`,
    `**${headline(issue)}**`,
    inertMarkdown(issue.rootCause, MAX_TEXT, links),
    ...restsOn(shown, links),
    ...numbered('What to do', issue.solutionSteps, links),
    ...listed(
      'Questions',
      issue.analysis.questions.map((question) => inertInline(question, 1_000, links)),
    ),
    ...numbered('How to reproduce it', issue.stepsToReproduce, links),
    ...suspects(issue, links),
    ...guards(issue, links),
    ...patch(changeSet),
    footer(issue, address),
  ];
  return `${blocks.filter((block) => block.trim() !== '').join('\n\n')}\n`;
}

function headline({ analysis: { outcome, partial, confidence } }: Issue): string {
  const silent = outcome === 'facts_only' && partial;
  const parts = [
    silent ? 'Facts only, the model gave no answer' : OUTCOMES[outcome],
    ...(partial && !silent ? ['cut short'] : []),
    ...(confidence === null ? [] : [`confidence ${Math.round(confidence * 100)} %`]),
  ];
  return parts.join(' · ');
}

/** A quotation stands with the query of its step, since the steps themselves stay on the page. A claim may tell what is left out. */
function restsOn({ issue, steps, withheld }: ShownIssue, links: SourceLinks): readonly string[] {
  const queries = new Map(steps.map(({ number, action }) => [number, action]));
  const quotes = issue.analysis.citations
    .filter(({ step }) => queries.has(step))
    .slice(0, MOST)
    .flatMap(({ claim, step, quote }) => [
      `${withheld === 0 ? inertInline(claim, 600, links) : 'Found'} (step ${step}: ${codeSpan((queries.get(step) ?? '').slice(0, 200))})`,
      fenced(quote.slice(0, 2_000), ''),
    ]);
  const kept =
    withheld === 0
      ? []
      : [`What ${plural(withheld, 'lookup')} of monitoring systems gave is left out: this repository is public.`];
  return quotes.length === 0 ? kept : ['### What it rests on', ...quotes, ...kept];
}

function numbered(title: string, steps: readonly Step[], links: SourceLinks): readonly string[] {
  if (steps.length === 0) return [];
  const items = steps.slice(0, MOST).map(({ description }, index) => {
    const lead = `${index + 1}. `;
    return `${lead}${(inertMarkdown(description, 2_000, links) || '–').replaceAll('\n', `\n${' '.repeat(lead.length)}`)}`;
  });
  return [`### ${title}`, items.join('\n').replace(/(?<![ \t])[ \t]+$/gm, '')];
}

function listed(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`### ${title}`, items.slice(0, MOST).map(bullet).join('\n')];
}

function suspects({ analysis }: Issue, links: SourceLinks): readonly string[] {
  const items = analysis.suspects.slice(0, 5).map(({ file, line, reasons }) => {
    const place = line > 0 ? `${file}:${line}` : file;
    const address = links(place);
    const shown = address === null ? codeSpan(place) : `[${codeSpan(place)}](${address})`;
    return `${shown}: ${inertInline(reasons.slice(0, 3).join('; '), 400, links)}`;
  });
  return listed('Where to look', items);
}

function guards({ analysis }: Issue, links: SourceLinks): readonly string[] {
  const items = analysis.guards.map(
    ({ file, reason }) => `${file === '' ? '' : `${codeSpan(file)}: `}${inertInline(reason, 400, links)}`,
  );
  return listed('Mind this in the change', items);
}

/** One that is too long is left to its file: half a patch applies nowhere. */
function patch(changeSet: ChangeSet | null): readonly string[] {
  if (changeSet === null || changeSet.files.length === 0) return [];
  const text = patchText(changeSet);
  if (text === '') return [];
  if (text.length > MAX_PATCH)
    return ['### Change', 'It is too long to stand here: download the patch from the page below.'];
  return ['### Change', fenced(text, 'diff')];
}

function patchText(changeSet: ChangeSet): string {
  try {
    return toUnifiedPatch(changeSet);
  } catch {
    return '';
  }
}

function footer({ analysis }: Issue, address: string): string {
  const commit = analysis.revision === '' ? '' : `At commit ${codeSpan(analysis.revision.slice(0, 12))}. `;
  return `${commit}The whole record: <${address}>`;
}
