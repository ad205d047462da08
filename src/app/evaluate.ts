// `eval`: investigates fixed issues at the commit before their fix, one after the other with each model, and compares
// the answers with the fixes.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Repository } from 'causeway-git-objects';
import { createRedactor } from 'causeway-redact';
import { toPrintableJson, toPrintableLine } from 'causeway-safe-markdown';
import type { EvalCommand } from '../cli/command-line.ts';
import { renderEvaluationPage } from '../cli/evaluation-page.ts';
import { formatProgress, renderEvaluation } from '../cli/evaluation-text.ts';
import { describeSystemError } from '../cli/report-input.ts';
import type { ExitCode, Io } from '../cli/terminal.ts';
import type { Config, ModelConfig } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { Issue } from '../core/issue/index.ts';
import type { Store } from '../db/index.ts';
import {
  type Case,
  type Evaluation,
  INTERVALS,
  LIMITS,
  type MissingAnswer,
  type StoredAnswer,
  scoreAnswer,
  summariseModels,
} from '../evaluation/index.ts';
import { listRegisteredSecrets } from '../log.ts';
import type { CommandDeps } from './analyse.ts';
import { askOnce, doesApply, nameProject, openAnalysisSession, toSettlement } from './analysis-session.ts';
import { openConfiguredStore } from './data-folder.ts';
import { type EvaluationState, nameStateFolder, openEvaluationState } from './evaluation-state.ts';
import { describeQuestion, describeRepository, findCases, findGithubToken, openCaseRepository } from './find-cases.ts';
import { chooseModel } from './model.ts';
import { VERSION } from './services.ts';

/** Prints the figures. Code 1 where answers are missing. Throws CausewayError. */
export async function runEval(command: EvalCommand, deps: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, now } = deps;
  const models = listComparedModels(command, config);
  const name = describeRepository(command);
  const question = describeQuestion(command, io.cwd);
  requireWritable(command, io);
  const folder = command.state === null ? nameStateFolder(config.dataDir, name) : path.resolve(io.cwd, command.state);
  using state = await openEvaluationState(folder, signal);
  io.err(`Evaluating ${toPrintableLine(name)}; the state is in ${folder}\n`);
  const token = await findGithubToken(command, config, signal);
  const source = { command, config, work: state.work, cwd: io.cwd, token };
  await using opened = await openCaseRepository(source, signal);
  let found = state.readCases(question);
  if (found === null) {
    io.err('Looking for fixed issues…\n');
    await using redactor = createRedactor({ exactValues: listRegisteredSecrets });
    found = await findCases(source, opened.repository, redactor, signal);
    state.writeCases(question, found);
  }
  const { cases, unfit } = found;
  if (cases.length === 0) throw createNoCases(command, token);
  const isFree = [...models.keys()].every((model) => model === 'none');
  await using store = isFree ? null : await openConfiguredStore(config, deps.log);
  const month = store && createMonth(store, deps);
  const missing = await answerCases({ ...opened, command, deps, state, models, month }, cases, signal);
  const evaluation: Evaluation = {
    version: VERSION,
    finishedAt: now().toISOString(),
    repository: name,
    texts: command.subjects ? 'subjects' : command.reports === null ? 'github' : 'file',
    models: [...models.keys()],
    cases: cases.map(({ report, ...one }) => ({ ...one, answers: readAnswers(state, { ...one, report }, models) })),
    unfit,
    budgetUsd: command.budget,
    spentUsd: state.readSpent(),
    missing,
  };
  printEvaluation(command, evaluation, io);
  return missing.length === 0 ? 0 : 1;
}

function createNoCases({ github, subjects }: EvalCommand, token: string | null): CausewayError {
  const repair =
    github !== null && token === null
      ? 'Without a token only fixes whose commit names the issue are found: set GITHUB_TOKEN.'
      : subjects
        ? 'Its commits close no issue by a keyword such as "fixes #123".'
        : 'No commit that changes source names one of the reports, as in "fixes #123".';
  return new CausewayError('absent', `No fixed issue was found. ${repair}`);
}

/** The model that each name of `--models` means. Throws `usage` for one that is not configured. */
function listComparedModels({ models }: EvalCommand, { model }: Config): ReadonlyMap<string, ModelConfig> {
  const own = model.kind === 'none' ? [] : [model.kind === 'scripted' ? `scripted:${model.file}` : model.name];
  const names = models.length > 0 ? models : [...own, 'none'];
  return new Map(names.map((name) => [name, chooseModel(name, model)]));
}

interface Evaluating {
  readonly command: EvalCommand;
  readonly deps: CommandDeps;
  readonly state: EvaluationState;
  readonly models: ReadonlyMap<string, ModelConfig>;
  /** With all commits. */
  readonly repository: Repository;
  /** Where it is on this disk. */
  readonly path: string;
  /** Null: no model that costs anything is asked. */
  readonly month: Month | null;
}

/** What evaluations may spend of BUDGET_MONTH, of which everything that the service spends is taken as well. */
interface Month {
  /** US dollars. */
  readonly readLeft: () => Promise<number>;
  readonly count: (...paid: Parameters<typeof toSettlement>) => Promise<void>;
}

function createMonth(store: Store, { config, now }: CommandDeps): Month {
  // Of no project: a project's own budget is for its reports.
  const evaluation = { id: createId('evl'), projectId: '' };
  return {
    readLeft: async () => config.budget.all - (await store.readMonthCosts('', now().toISOString())).all,
    count: (...paid) => store.addCommandCost(evaluation, { ...toSettlement(...paid), now: now().toISOString() }),
  };
}

/** After so many failures of a model in a row it is not asked again. */
const MOST_FAILURES = 3;

/** Asks for what is missing, one case after the other. Returns what still is. */
async function answerCases(
  evaluating: Evaluating,
  cases: readonly Case[],
  signal: AbortSignal,
): Promise<readonly MissingAnswer[]> {
  const { state, models, deps } = evaluating;
  const pairs = cases.flatMap((one) => [...models.keys()].map((model) => ({ one, model })));
  const left = pairs.filter(({ one, model }) => state.readAnswer(one, model) === null);
  let done = pairs.length - left.length;
  if (done > 0) deps.io.err(`Continuing: ${done} of ${pairs.length} answers are there.\n`);
  const missing: MissingAnswer[] = [];
  /** By model, in a row. */
  const failures = new Map<string, number>();
  for (const { one, model } of left) {
    const failed = failures.get(model) ?? 0;
    const answered = failed >= MOST_FAILURES ? STOPPED : await answerCase(evaluating, one, model, signal);
    if (answered.kind === 'answered') {
      failures.delete(model);
      state.writeAnswer(one, model, answered.answer);
      done += 1;
      const money = estimateCost(evaluating, cases);
      deps.io.err(formatProgress({ done, all: pairs.length, name: one.name, model, ...answered, ...money }));
      continue;
    }
    const { reason, detail } = answered;
    missing.push({ case: one.name, model, reason, detail });
    if (reason !== 'failed') continue;
    failures.set(model, failed + 1);
    deps.io.err(`${toPrintableLine(`${one.name}  ${model}  failed: ${detail}`)}\n`);
  }
  return missing;
}

type CaseOutcome =
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  | { readonly kind: 'missing'; readonly reason: MissingAnswer['reason']; readonly detail: string };

const STOPPED: CaseOutcome = { kind: 'missing', reason: 'stopped', detail: '' };
const OVER_BUDGET: CaseOutcome = { kind: 'missing', reason: 'budget', detail: '' };
const OVER_MONTH: CaseOutcome = { kind: 'missing', reason: 'month', detail: '' };

async function answerCase(
  { command, deps, state, models, repository, path: place, month }: Evaluating,
  one: Case,
  model: string,
  signal: AbortSignal,
): Promise<CaseOutcome> {
  const { config, log, now, io } = deps;
  const isFree = model === 'none';
  const { left, over } = await readMoneyLeft(command.budget - state.readSpent(), month);
  if (!isFree && left <= 0) return over;
  const run = Math.min(config.budget.run, left);
  const own: Config = {
    ...config,
    // Apart from the user's own mirrors: these show only what was there before a fix.
    dataDir: state.work,
    model: models.get(model) ?? { kind: 'none', hint: '' },
    budget: { run, repository: left, all: left },
    // What a monitoring system says today is of another time.
    monitoringFile: null,
  };
  let costUsd = 0;
  const onPaid = async (...paid: Parameters<typeof toSettlement>) => {
    const [usd] = paid;
    costUsd += usd;
    state.addSpent(usd);
    await month?.count(...paid);
  };
  const began = now().getTime();
  const { name } = nameProject({ kind: 'path', path: place });
  const project = {
    name: command.github ?? name,
    source: { kind: 'path', path: place },
    isTrusted: false,
    asOf: one.base,
  } as const;
  const quiet = log.child({}, { level: 'fatal' });
  await using session = await openAnalysisSession({ config: own, log: quiet, now, onWait: io.err, onPaid }, project);
  const issue = await askOnce(session, { text: one.report, revision: '' }, signal);
  const { outcome, partial = false } = issue?.analysis ?? {};
  // A budget that is nearly used up must not pass for the model's own doing.
  if (partial && run < config.budget.run) return over;
  if (issue === null || (outcome === 'facts_only' && !isFree)) {
    return { kind: 'missing', reason: 'failed', detail: session.troubles().at(-1) ?? 'there was no answer' };
  }
  const seconds = (now().getTime() - began) / 1_000;
  const applies = issue.diff.files.length === 0 ? null : await doesApply(issue.diff, repository.tree(one.base), signal);
  return { kind: 'answered', answer: { ...toStoredAnswer(issue, one), applies, seconds, costUsd } };
}

/** `over`: what is said once it is used up. */
async function readMoneyLeft(own: number, month: Month | null) {
  const ofMonth = (await month?.readLeft()) ?? own;
  return own <= ofMonth ? { left: own, over: OVER_BUDGET } : { left: ofMonth, over: OVER_MONTH };
}

const MOST_SHOWN = 8;

function toStoredAnswer(issue: Issue, one: Case): Omit<StoredAnswer, 'applies' | 'seconds' | 'costUsd'> {
  const { outcome, partial, suspects, usage } = issue.analysis;
  const changed = issue.diff.files.map(({ fileName, previousFileName }) => previousFileName ?? fileName);
  return {
    outcome,
    partial,
    score: scoreAnswer(one.truth, issue),
    turns: usage.turns,
    tokens: usage.promptTokens + usage.completionTokens,
    files: [...new Set([...changed, ...suspects.map(({ file }) => file)])].slice(0, MOST_SHOWN),
    rootCause: issue.rootCause,
  };
}

function readAnswers(
  state: EvaluationState,
  one: Case,
  models: ReadonlyMap<string, ModelConfig>,
): Readonly<Record<string, StoredAnswer>> {
  const answers = [...models.keys()].map((model) => [model, state.readAnswer(one, model)] as const);
  return Object.fromEntries(answers.flatMap(([model, answer]) => (answer === null ? [] : [[model, answer]])));
}

/** From what each model's answers have cost on average. */
function estimateCost({ command, state, models }: Evaluating, cases: readonly Case[]) {
  const paying = [...models.keys()].filter((model) => model !== 'none');
  const lefts = paying.map((model) => {
    const costs = cases.flatMap((one) => state.readAnswer(one, model)?.costUsd ?? []);
    const mean = costs.reduce((sum, usd) => sum + usd, 0) / costs.length;
    return mean * (cases.length - costs.length);
  });
  const isKnown = lefts.length > 0 && !lefts.some(Number.isNaN);
  const leftUsd = isKnown ? lefts.reduce((sum, usd) => sum + usd, 0) : null;
  return { spentUsd: state.readSpent(), budgetUsd: command.budget, leftUsd };
}

function printEvaluation(command: EvalCommand, evaluation: Evaluation, io: Io): void {
  if (command.html !== null) {
    writeFileSync(path.resolve(io.cwd, command.html), renderEvaluationPage(evaluation));
    io.err(`The page is in ${command.html}.\n`);
  }
  const layout = { columns: io.columns.out, colour: io.colour.out };
  io.out(command.json ? `${toPrintableJson(toJson(evaluation))}\n` : renderEvaluation(evaluation, layout));
}

function toJson(evaluation: Evaluation) {
  const { models, cases } = evaluation;
  const clean = cases.filter(({ leaks }) => leaks.length === 0);
  return {
    ...evaluation,
    summary: Object.fromEntries(summariseModels(models, cases)),
    summaryWithoutLeaks: Object.fromEntries(summariseModels(models, clean)),
    intervals: INTERVALS,
    limits: LIMITS,
  };
}

/** Before the work, not after hours of it. */
function requireWritable({ html }: EvalCommand, io: Io): void {
  if (html === null) return;
  try {
    writeFileSync(path.resolve(io.cwd, html), '', { flag: 'a' });
  } catch (error) {
    const message = `--html cannot write ${html}: ${describeSystemError(error)}.`;
    throw new CausewayError('usage', message, { cause: error });
  }
}
