// The model's part of a run: its brief, the loop, its conclusion checked, its change guarded, all of it redacted.

import type { Repository } from 'causeway-git-objects';
import { createGlobMatcher } from 'causeway-paths';
import { type Conclusion, findContextFile, type Suspect } from '../core/issue/index.ts';
import { findReportScopes, findScopeOf, type Project } from '../core/project/index.ts';
import { describeForOperator, describeForPeople } from '../core/reason.ts';
import type { Workbench } from '../core/report/index.ts';
import type { Run } from '../db/index.ts';
import {
  type AgentEnd,
  type AgentInput,
  concludeRun,
  type FailedCheckGround,
  guardChange,
  LOOK_TURNS,
  type ReviewGround,
  runAgent,
} from '../investigate/index.ts';
import { findInstalledVersion } from '../triage/index.ts';
import { isVeiled, type RunContext } from './context.ts';
import type { InvestigationServices } from './investigation-services.ts';
import { type Investigator, type InvestigatorLimits, limitTokens } from './investigator.ts';
import { addSteps, applySecondLook, describeRepair, lookAgain } from './look-again.ts';
import { readInstructions } from './read-instructions.ts';
import { createRunLedger, createRunTranscript, type GatheredFacts } from './run-records.ts';
import { redactChange, redactModel, redactTool } from './run-redaction.ts';

interface AskInput {
  readonly run: Run;
  readonly project: Project;
  /** The repository as it is, for edits, and redacted, as it may be shown. */
  readonly raw: Repository;
  readonly repository: Repository;
  readonly facts: GatheredFacts;
  readonly context: RunContext;
  /** Null: the report is about no failed check. */
  readonly failedCheck: FailedCheckGround | null;
  /** That are left for this. */
  readonly seconds: number;
}

/** The conclusion, redacted. Throws what `runAgent` throws, such as `ModelUnavailable`. */
export async function askInvestigator(
  services: InvestigationServices & { readonly onTrouble: (text: string) => void },
  investigator: Investigator,
  { run, project, raw, repository, facts: gathered, failedCheck, seconds, context }: AskInput,
  signal: AbortSignal,
): Promise<Conclusion> {
  const { redactor, now, onTrouble } = services;
  const { model } = investigator;
  const facts = gathered.conclusion;
  const tree = repository.tree(facts.analysis.revision);
  const limits = applyBudget(investigator.limits, run, facts.analysis.suspects);
  const waitUntil = Date.parse(gathered.at) + limits.patienceMs;
  const openWorkbench = () =>
    investigator.openWorkbench(
      {
        project,
        isTrusted: run.isTrusted,
        repository,
        tree,
        reportText: run.text,
        rawTree: raw.tree(tree.revision),
        clean: (text) => redactor.redactLines(text),
        findInstalled: (name, stop) => findInstalledVersion(tree, name, stop),
        others: context.opened.map(({ record, ...opened }) => ({ name: record.repository, ...opened })),
      },
      signal,
    );
  const records = { ...services, isVeiled: isVeiled(services, context) };
  const read = context.opened.map(({ record }) => record);
  let workbench = await openWorkbench();
  const redactTools = ({ tools }: Workbench) => tools.map((tool) => redactTool(tool, redactor));
  const review: ReviewGround = {
    earlierSteps: facts.investigationSteps.map((step, index) => ({ ...step, number: index + 1 })),
    changeSet: () => workbench.changeSet(),
    exists: async (file, line) => {
      const other = findContextFile(file, read);
      const at = context.opened.find(({ record }) => record === other?.of)?.tree ?? tree;
      const found = await at.read(other?.path ?? file, {}, signal);
      if (line === 0) return found.kind !== 'absent' && found.kind !== 'folder';
      return found.kind === 'text' && line <= found.totalLines;
    },
    commitExists: async (sha) => (await repository.resolve(sha, signal)) !== null,
    failedCheck,
  };
  const { instructions, modelRule } = await readInstructions(
    run.settings.instructions,
    repository,
    facts.analysis.suspects.map(({ file }) => file),
    signal,
  );
  const agent: AgentInput = {
    model: redactModel(model, redactor),
    tools: redactTools(workbench),
    brief: {
      project: project.name,
      revision: facts.analysis.revision,
      report: run.text,
      steps: facts.investigationSteps,
      language: run.settings.language,
      instructions,
      context: read,
    },
    transcript: createRunTranscript(records, run),
    budget: {
      limits: { turns: limits.turns, seconds, tokens: limitTokens({ model, limits }), usd: limits.usd.run },
      ledger: createRunLedger({ ...services, onSpent: investigator.onSpent }, run, limits.usd),
    },
    ground: review,
    mayWait: (until) => until.getTime() <= waitUntil,
    now,
  };
  const ask = async (input: AgentInput): Promise<AgentEnd> => {
    const end = await runAgent(input, signal);
    if (end.stop !== null) {
      // An endpoint's own message may quote the key of the request.
      onTrouble(await redactor.redact(describeForOperator(end.stop.reason, end.stop.detail)));
    }
    return end;
  };
  const conclude = async (end: AgentEnd, lookSteps: AgentEnd['steps'] = []): Promise<Conclusion> => {
    const guarded = await guardChange(workbench.changeSet(), {
      entries: (await tree.files(signal)).entries,
      isParsable: investigator.isParsable,
      mayTouch: createReadablePathFilter(run.settings.paths),
      redact: (text) => redactor.redact(text),
    });
    const steps = [...end.steps, ...lookSteps].sort((one, other) => one.number - other.number);
    const { changeSet, ...texts } = await concludeRun({
      facts,
      framed: gathered.framed,
      failedCheck,
      usage: end.usage,
      model: model.name,
      draft: end.kind === 'concluded' ? end.draft : null,
      steps: [...review.earlierSteps, ...steps].map((step) => ({ analysis: '', ...step })),
      modelRule,
      changeSet: review.changeSet(),
      guarded: await redactChange(guarded, redactor),
      exists: review.exists,
      commitExists: review.commitExists,
      partial: end.kind === 'no_conclusion' || end.partial,
      reason: end.stop?.reason ?? null,
      onOperatorReason: (reason) => onTrouble(describeForOperator(reason)),
    });
    return { ...(await redactor.redactJson(texts)), changeSet };
  };
  const repair = async (text: string): Promise<AgentEnd> => {
    // The recorded edits are made again.
    workbench = await openWorkbench();
    return await ask({ ...agent, tools: redactTools(workbench), repair: text });
  };
  const first = await ask(agent);
  if (first.usage.turns === 0) {
    const reason = describeForPeople(first.stop?.reason ?? { code: 'no_conclusion' });
    const text = `${reason} This is the result of searching the source alone.`;
    return { ...facts, analysis: { ...facts.analysis, partial: true, reason: text } };
  }
  const conclusion = await conclude(first);
  const second = investigator.second ?? model;
  const seen = await lookAgain(
    {
      run,
      project: project.name,
      model: redactModel(second, redactor),
      conclusion,
      tree,
      now,
      onTrouble,
      context: read,
      openTools: async () => redactTools(await openWorkbench()),
      transcript: createRunTranscript(records, run, 'second_look'),
      budget: {
        limits: {
          turns: LOOK_TURNS,
          seconds: Math.max(0, seconds - first.usage.seconds),
          tokens: limitTokens({ model: second, limits }),
          usd: limits.usd.run - first.usage.costUsd,
        },
        ledger: createRunLedger({ ...services, onSpent: investigator.onSpent }, run, limits.usd, 'second_look'),
      },
      mayWait: (until) => until.getTime() <= Math.min(waitUntil, now().getTime() + LOOK_PATIENCE_MS),
    },
    signal,
  );
  if (seen === null) return conclusion;
  const look = { ...seen, draft: await redactor.redactJson(seen.draft) };
  const apply = (result: Conclusion, isRepair: boolean) =>
    applySecondLook(result, look, { model: second.name, isRepair });
  // It was interrupted after the repair was asked for.
  if (first.isRepair) return apply(await conclude(first, look.steps), true);
  const wanted = first.kind === 'concluded' && !first.partial ? describeRepair(look, conclusion) : null;
  const again = wanted === null ? null : await repair(wanted);
  // A repair that was cut short leaves the change as it was looked at.
  return again?.kind === 'concluded' && !again.partial
    ? apply(await conclude(again, look.steps), true)
    : apply(addSteps(conclusion, look.steps), false);
}

/** How long the end of an investigation may wait for the model of its second look. */
const LOOK_PATIENCE_MS = 60_000;

/**
 * US dollars that the repository allows for this run, by its scope if that is known: the one that the report is about,
 * or else that of the first suspect. Null: the operator's limit.
 */
export function limitRun({ settings, text }: Run, [suspect]: readonly Suspect[]): number | null {
  const { scopes, budget } = settings;
  const [named] = findReportScopes(scopes, text);
  const scope = named ?? (suspect === undefined ? null : findScopeOf(scopes, suspect.file));
  const limits = [budget.run, scope?.budget.run ?? null].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** A repository may spend less than the operator allows. */
function applyBudget(limits: InvestigatorLimits, run: Run, suspects: readonly Suspect[]): InvestigatorLimits {
  const { repository } = limits.usd;
  const { budget } = run.settings;
  const usd = {
    ...limits.usd,
    run: Math.min(limits.usd.run, limitRun(run, suspects) ?? limits.usd.run),
    repository: Math.min(repository, budget.month ?? repository),
  };
  return { ...limits, usd };
}

/** Which paths a change may touch: those that `allow` names (all, where it is empty), but none that `block` names. */
function createReadablePathFilter({ allow, block }: Run['settings']['paths']): (path: string) => boolean {
  const allowed = allow.map((glob) => createGlobMatcher(glob));
  const blocked = block.map((glob) => createGlobMatcher(glob));
  return (path) =>
    (allow.length === 0 || allowed.some((matches) => matches(path))) && !blocked.some((matches) => matches(path));
}
