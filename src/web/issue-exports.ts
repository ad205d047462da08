// An issue to take away: as Markdown for a ticket, in which untrusted text has no effect, and its change as a patch.
import type { ChangeSet } from 'causeway-diff';
import type { SourceLinks } from 'causeway-safe-markdown';
import { formatBullet, formatCodeSpan, formatFence, sanitiseInline, sanitiseMarkdown } from 'causeway-safe-markdown';
import {
  addSources,
  createIssueView,
  filterIssue,
  getIssueTitle,
  type Issue,
  removeCitations,
  type ShownIssue,
  type SourcedIssue,
  type Step,
} from '../core/issue/index.ts';
import type { Project } from '../core/project/index.ts';
import { listPatchHeaders, loadChange, toPatch, UNWRITABLE } from '../services/index.ts';
import { formatPlural } from './components.ts';
import { createSourceLinks, findIssue } from './issue.ts';
import { refuseAbsentPage, WebRefusal } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const MAX_TEXT = 8_000;
/** Half a patch cannot be applied: a longer one is only in its file. */
const MAX_PATCH = 40_000;
const MAX_LISTED = 30;
const MAX_QUOTE = 2_000;

interface IssueExport {
  readonly issue: SourcedIssue;
  readonly project: Project;
  /** Null: it cannot be read, and the change is left out. */
  readonly changeSet: ChangeSet | null;
  /** Of the issue's page. */
  readonly address: string;
}

/** GET /issues/{issueId}/markdown: as plain text, to be read and saved. */
export async function getMarkdown(c: PageContext, deps: WebDeps): Promise<Response> {
  const { issue, project } = await findIssue(c, deps);
  const changeSet = await loadChange(deps, issue);
  const sources = await deps.store.listStepSources(issue.id);
  const address = `${deps.baseUrl()}/issues/${issue.id}`;
  return c.text(toIssueMarkdown({ issue: addSources(issue, sources), project, changeSet, address }));
}

/** GET /issues/{issueId}/patch */
export async function getPatch(c: PageContext, deps: WebDeps): Promise<Response> {
  const { issue } = await findIssue(c, deps);
  const changeSet = await loadChange(deps, issue);
  const patch = changeSet === null ? '' : toPatch(changeSet);
  if (patch === null) throw new WebRefusal(409, UNWRITABLE);
  if (patch === '') refuseAbsentPage();
  return c.body(patch, 200, listPatchHeaders(issue));
}

/**
 * Ends with a line feed. For a public repository, results of monitoring systems are left out, as on GitHub: its tickets
 * are public.
 */
export function toIssueMarkdown({ issue: whole, project, changeSet, address }: IssueExport): string {
  const isPublic = project.source.kind === 'github' && !project.source.isPrivate;
  const shown = filterIssue(whole, { isPublic });
  const { issue } = shown;
  const { analysis } = issue;
  const links = createSourceLinks(project, issue);
  const commit = analysis.revision === '' ? '' : `At commit ${formatCodeSpan(analysis.revision.slice(0, 12))}. `;
  const blocks = [
    `## ${sanitiseInline(getIssueTitle(issue, 200), 200)}`,
    `**${createIssueView(issue).headline}**`,
    sanitiseMarkdown(removeCitations(issue.rootCause), MAX_TEXT, links),
    ...formatEvidence(shown, links),
    ...formatExportSteps('What to do', issue.solutionSteps, links),
    ...formatExportList(
      'Questions',
      analysis.questions.map((question) => sanitiseInline(question, 1_000, links)),
    ),
    ...formatExportSteps('How to reproduce it', issue.stepsToReproduce, links),
    ...formatExportList('Where to look', formatSuspects(issue, links)),
    ...formatExportList(
      'Check before applying',
      analysis.guards.map(({ file, reason }) => {
        const place = file === '' ? '' : `${formatCodeSpan(file)}: `;
        return `${place}${sanitiseInline(reason, 400, links)}`;
      }),
    ),
    ...formatPatch(changeSet),
    `${commit}${address === '' ? '' : `Full record: <${address}>`}`,
  ];
  return `${blocks.filter((block) => block.trim() !== '').join('\n\n')}\n`;
}

/**
 * A quotation comes with the query of its step and without its number, since the steps stay on the page. Claims may
 * repeat what is left out, and go with it; what the cause says already is not said twice.
 */
function formatEvidence({ issue, steps, withheld }: ShownIssue, links: SourceLinks): readonly string[] {
  const cause = formatExportWords(issue.rootCause);
  const queries = new Map(steps.map(({ number, action }) => [number, action]));
  const quotes = createIssueView(issue)
    .claims.flatMap(({ claim, quotes }) =>
      quotes.map((quote, index) => ({ ...quote, claim: index === 0 ? claim : '' })),
    )
    .filter(({ step }) => queries.has(step))
    .slice(0, MAX_LISTED)
    .flatMap(({ step, quote, claim }, index, all) => {
      const isSaid = withheld > 0 || cause.includes(formatExportWords(claim));
      const query = formatCodeSpan((queries.get(step) ?? '').slice(0, 200));
      const block = formatFence(quote.slice(0, MAX_QUOTE), '');
      if (!isSaid) return [`${sanitiseInline(endSentence(removeCitations(claim)), 600, links)} From ${query}:`, block];
      return all[index - 1]?.step === step ? [block] : [`From ${query}:`, block];
    });
  const kept = `The results of ${formatPlural(withheld, 'lookup')} in monitoring systems are left out: this repository is public.`;
  return [...(quotes.length === 0 ? [] : ['### Evidence', ...quotes]), ...(withheld === 0 ? [] : [kept])];
}

function endSentence(text: string): string {
  return text.trimEnd().replace(/[^.!?:…]$/u, '$&.');
}

/** For comparing: marks, capitals and numbers of steps differ between a claim and its repetition. */
function formatExportWords(text: string): string {
  return removeCitations(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function formatExportSteps(title: string, steps: readonly Step[], links: SourceLinks): readonly string[] {
  if (steps.length === 0) return [];
  const items = steps.slice(0, MAX_LISTED).map(({ description }, index) => {
    const lead = `${index + 1}. `;
    const text = sanitiseMarkdown(description, 2_000, links) || '–';
    return `${lead}${text.replaceAll('\n', `\n${' '.repeat(lead.length)}`)}`;
  });
  return [`### ${title}`, items.join('\n').replace(/(?<![ \t])[ \t]{1,1000}$/gm, '')];
}

function formatExportList(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`### ${title}`, items.slice(0, MAX_LISTED).map(formatBullet).join('\n')];
}

function formatSuspects({ analysis }: Issue, links: SourceLinks): readonly string[] {
  return analysis.suspects.slice(0, 5).map(({ file, line, reasons }) => {
    const place = line > 0 ? `${file}:${line}` : file;
    const address = links(place);
    const shown = address === null ? formatCodeSpan(place) : `[${formatCodeSpan(place)}](${address})`;
    return `${shown}${reasons.length === 0 ? '' : `: ${sanitiseInline(reasons.slice(0, 3).join('; '), 400, links)}`}`;
  });
}

function formatPatch(changeSet: ChangeSet | null): readonly string[] {
  const text = changeSet === null || changeSet.files.length === 0 ? '' : (toPatch(changeSet) ?? '');
  if (text === '') return [];
  if (text.length > MAX_PATCH)
    return ['### Change', 'It is too long for this text: download the patch from the page below.'];
  return ['### Change', formatFence(text, 'diff')];
}
