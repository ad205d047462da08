// The model's part of a run: its brief, the loop, its conclusion checked, its change guarded, nothing secret in either.

import { concludeRun } from '../agent/conclude.ts';
import { type GuardedChange, guardChange } from '../agent/guard-change.ts';
import { type AgentEnd, runAgent } from '../agent/loop.ts';
import type { Brief } from '../agent/prompt.ts';
import type { FailedCheckGround, ReviewGround } from '../agent/review.ts';
import type { SourcedStep, StepLookup } from '../core/evidence.ts';
import type { Conclusion } from '../core/issue.ts';
import { createGlobMatcher } from '../core/paths.ts';
import type { Project } from '../core/project.ts';
import { type CutReason, describeForOperator, describeForPeople } from '../core/reason.ts';
import type { Repository, SourceTree } from '../core/source.ts';
import type { Workbench } from '../core/tool.ts';
import type { Run, Store } from '../db/store.ts';
import type { Redactor } from '../redact/redactor.ts';
import { type Investigator, type InvestigatorLimits, tokenLimit } from './investigator.ts';
import { type GatheredFacts, runLedger, runTranscript } from './run-records.ts';

import { redactedModel, redactedTool, withoutSecrets } from './run-redaction.ts';

interface AskInvestigatorDeps {
  readonly store: Store;
  readonly redactor: Redactor;
  readonly now: () => Date;
  readonly onStep: () => void;
  /** Learns, free of secrets, what of the run's end only the operator should know. */
  readonly onTrouble: (text: string) => void;
}

/** The repository as it is, for edits, and as it may be shown. */
export interface Sources {
  readonly raw: Repository;
  readonly repository: Repository;
}

interface InvestigationGround {
  readonly project: Project;
  readonly source: Sources;
  /** What is known without a model, cleaned of secrets. */
  readonly facts: GatheredFacts;
  /** Null: the report is of no failed check. */
  readonly failedCheck: FailedCheckGround | null;
  /** Seconds that are left for this. */
  readonly seconds: number;
}

/** The conclusion, cleaned of secrets. Throws what `runAgent` throws, `ModelUnavailable` above all. */
export async function askInvestigator(
  deps: AskInvestigatorDeps,
  investigator: Investigator,
  asked: { readonly run: Run; readonly ground: InvestigationGround },
  signal: AbortSignal,
): Promise<Conclusion> {
  const { run, ground } = asked;
  const facts = ground.facts.conclusion;
  const { raw, repository } = ground.source;
  const tree = repository.tree(facts.analysis.revision);
  const { model } = investigator;
  const limits = limitsOf(investigator, run);
  const waitUntil = Date.parse(ground.facts.at) + limits.patienceMs;
  const workbench = await investigator.openWorkbench(
    {
      ...{ project: ground.project, isTrusted: run.isTrusted, repository, tree, reportText: run.text },
      rawTree: raw.tree(tree.revision),
      clean: (text) => deps.redactor.redactLines(text),
    },
    signal,
  );
  const review = reviewGround(ground, { tree, workbench }, signal);
  const end = await runAgent(
    {
      model: redactedModel(model, deps.redactor),
      tools: workbench.tools.map((tool) => redactedTool(tool, deps.redactor)),
      brief: await briefOf(run, { project: ground.project.name, facts, repository }, signal),
      transcript: runTranscript(deps, run),
      budget: {
        limits: {
          turns: limits.turns,
          seconds: ground.seconds,
          tokens: tokenLimit({ model, limits }),
          usd: limits.usd.run,
        },
        ledger: runLedger({ ...deps, onSpent: investigator.onSpent }, run, limits.usd),
      },
      ground: review,
      mayWait: (until) => until.getTime() <= waitUntil,
      now: deps.now,
    },
    signal,
  );
  if (end.stop !== null) {
    // What an endpoint says of itself may quote the key that it was asked with.
    deps.onTrouble(await deps.redactor.redact(describeForOperator(end.stop.reason, end.stop.detail)));
  }
  if (end.usage.turns === 0) return unasked(facts, end.stop?.reason ?? { code: 'no_conclusion' });
  const guarded = await guardChange(workbench.changeSet(), {
    entries: (await tree.files(signal)).entries,
    isParsable: investigator.isParsable,
    mayTouch: touchable(run.settings.paths),
    redact: (text) => deps.redactor.redact(text),
  });
  return concluded(deps, { end, guarded, ground, review, model: model.name });
}

function reviewGround(
  { source: { repository }, facts, failedCheck }: InvestigationGround,
  { tree, workbench }: { readonly tree: SourceTree; readonly workbench: Workbench },
  signal: AbortSignal,
): ReviewGround {
  return {
    earlierSteps: facts.conclusion.investigationSteps.map((step, index) => ({ ...step, number: index + 1 })),
    changeSet: () => workbench.changeSet(),
    exists: async (file, line) => {
      const read = await tree.read(file, {}, signal);
      return line === 0
        ? read.kind !== 'absent' && read.kind !== 'folder'
        : read.kind === 'text' && line <= read.totalLines;
    },
    commitExists: async (sha) => (await repository.resolve(sha, signal)) !== null,
    failedCheck,
  };
}

/** A repository may want to spend less than the operator lets it. */
function limitsOf({ limits }: Investigator, { settings }: Run): InvestigatorLimits {
  const { run, month } = settings.budget;
  const least = (limit: number, wish: number | null): number => (wish === null ? limit : Math.min(limit, wish));
  return {
    ...limits,
    usd: { ...limits.usd, run: least(limits.usd.run, run), repository: least(limits.usd.repository, month) },
  };
}

/** Whether a change may touch a path: what `allow` names (all, where it names nothing), but not what `block` names. */
function touchable({ allow, block }: Run['settings']['paths']): (path: string) => boolean {
  const allowed = allow.map((glob) => createGlobMatcher(glob));
  const blocked = block.map((glob) => createGlobMatcher(glob));
  return (path) => (allow.length === 0 || allowed.some((fits) => fits(path))) && !blocked.some((fits) => fits(path));
}

interface Ended {
  readonly end: AgentEnd;
  readonly guarded: GuardedChange;
  readonly ground: InvestigationGround;
  readonly review: ReviewGround;
  readonly model: string;
}

async function concluded(
  { redactor, onTrouble }: AskInvestigatorDeps,
  { end, guarded, ground, review, model }: Ended,
): Promise<Conclusion> {
  const clean = await withoutSecrets(guarded, redactor);
  const conclusion = await concludeRun({
    draft: end.kind === 'concluded' ? end.draft : null,
    facts: ground.facts.conclusion,
    framed: ground.facts.framed,
    steps: [...review.earlierSteps, ...end.steps].map((step) => ({ analysis: '', ...step })),
    changeSet: review.changeSet(),
    guarded: clean,
    exists: review.exists,
    commitExists: review.commitExists,
    failedCheck: ground.failedCheck,
    usage: end.usage,
    model,
    partial: end.kind === 'no_conclusion' || end.partial,
    reason: end.stop?.reason ?? null,
    onOperatorReason: (reason) => onTrouble(describeForOperator(reason)),
  });
  const { changeSet, ...words } = conclusion;
  return { ...(await redactor.redactJson(words)), changeSet };
}

/** Nothing came from the model, be it that it failed or that no money was left to ask it: what stands are the facts, and why there is no more. */
function unasked(facts: Conclusion, reason: CutReason): Conclusion {
  return {
    ...facts,
    analysis: {
      ...facts.analysis,
      partial: true,
      reason: `${describeForPeople(reason)} This is the result of searching the source alone.`,
    },
  };
}

/** Where projects keep what those who change the code should know, in the order of their weight. */
const INSTRUCTION_FILES = [
  'AGENTS.md',
  'CLAUDE.md',
  '.github/copilot-instructions.md',
  ...['', '.github/', 'docs/'].flatMap((folder) => ['md', 'rst', 'txt'].map((end) => `${folder}CONTRIBUTING.${end}`)),
];

/** More of a file is not shown to the model anyway. */
const MAX_INSTRUCTIONS = 8_000;

/** UTF-8 bytes: what the brief has for facts. Whole steps are left out before it cuts one in two. */
const MAX_FACTS = 9_600;

interface BriefGround {
  readonly project: string;
  readonly facts: Conclusion;
  /** Without secrets. */
  readonly repository: Repository;
}

async function briefOf(run: Run, ground: BriefGround, signal: AbortSignal): Promise<Brief> {
  const { facts, project } = ground;
  return {
    project,
    revision: facts.analysis.revision,
    report: run.text,
    facts: factsText(facts.investigationSteps),
    suspects: facts.analysis.suspects,
    language: run.settings.language,
    instructions: [...ownWords(run), ...(await instructionsOf(ground, signal))],
  };
}

/** What the facts lose first where they are too long: what git says of the suspects after the first. */
const CUT_FIRST: readonly StepLookup[] = ['history', 'blame'];

/** Steps bear the numbers by which they can be cited. */
export function factsText(steps: readonly SourcedStep[]): string {
  const told = steps.map((step, index) => ({ step, text: tellStep(step, index + 1) }));
  for (const lookup of CUT_FIRST) {
    for (const [at, { step }] of [...told.entries()].toReversed()) {
      if (sizeOf(told) <= MAX_FACTS) break;
      if (step.lookup === lookup) told[at] = { step, text: `[step ${at + 1}] ${step.action}\n(left out here)` };
    }
  }
  return told.map(({ text }) => text).join('\n');
}

function sizeOf(told: readonly { readonly text: string }[]): number {
  return told.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
}

function tellStep({ action, result, analysis, lookup }: SourcedStep, number: number): string {
  if (lookup === 'rank_suspects') return `[step ${number}] ${action}\n(the list stands below, under Suspects)`;
  const lines = result.split('\n').filter((line) => !line.startsWith('expression: '));
  return `[step ${number}] ${action}\n${lines.join('\n')}\n=> ${analysis}`;
}

function ownWords({ settings }: Run): Brief['instructions'] {
  const text = settings.instructions.slice(0, MAX_INSTRUCTIONS);
  return text === '' ? [] : [{ path: '.github/causeway.yml (instructions)', text }];
}

/** Those of the default branch: the commit that is investigated may be a stranger's. */
async function instructionsOf({ repository }: BriefGround, signal: AbortSignal): Promise<Brief['instructions']> {
  const head = await repository.resolve('', signal);
  if (head === null) return [];
  const tree = repository.tree(head);
  const files = new Set((await tree.files(signal)).entries.map(({ path }) => path));
  const instructions: { path: string; text: string }[] = [];
  for (const path of INSTRUCTION_FILES.filter((each) => files.has(each))) {
    const read = await tree.read(path, {}, signal);
    if (read.kind !== 'text') continue;
    instructions.push({ path, text: read.text.slice(0, MAX_INSTRUCTIONS) });
  }
  return instructions;
}
