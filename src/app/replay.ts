// `replay`: an earlier report at the same commit, investigated again with another model or this version, next to the old answer.
import { statSync } from 'node:fs';
import path from 'node:path';
import { toPrintableJson, toPrintableLine } from 'causeway-safe-markdown';
import type { ReplayCommand } from '../cli/command-line.ts';
import { type Replay, type ReplayedAnswer, type ReplayNote, renderReplay } from '../cli/replay-text.ts';
import type { ExitCode } from '../cli/terminal.ts';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { type Issue, listRead } from '../core/issue/index.ts';
import { getRepository, type InvestigationSettings, isGithubProject, type Project } from '../core/project/index.ts';
import type { ContextRepository } from '../core/source/index.ts';
import type { Store } from '../db/index.ts';
import { createReadingToken } from '../github/index.ts';
import type { CommandDeps } from './analyse.ts';
import {
  askOnce,
  type CalledTools,
  type CheckRecords,
  openAnalysisSession,
  readTools,
  toSettlement,
} from './analysis-session.ts';
import { getMirrorsFolder, openConfiguredStore } from './data-folder.ts';
import { openSource } from './git-source.ts';
import { readKeptApp } from './mode.ts';
import { chooseModel } from './model.ts';
import { USER_AGENT } from './services.ts';

/** Prints both answers. Code 3 where the model failed. Throws CausewayError where there is nothing to replay. */
export async function runReplay(command: ReplayCommand, deps: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log } = deps;
  await using store = await openConfiguredStore(config, log);
  const old = await readOldAnswer(store, command.issueId);
  const { issue, project } = old;
  io.err(`Replaying ${issue.id} of ${toPrintableLine(project.name)} at ${issue.analysis.revision.slice(0, 12)}\n`);
  const place = await openMirror(project, issue.analysis.revision, config, signal);
  const context = await openReplayContext(store, issue, config, signal);
  const answered = await answerAgain(command, { ...deps, store, ...old, place, context: context ?? [] }, signal);
  const replay: Replay = {
    issueId: issue.id,
    project: project.name,
    revision: issue.analysis.revision,
    before: toReplayedAnswer(issue, old.tools),
    after: toReplayedAnswer(answered.issue, answered.tools),
    costUsd: answered.costUsd,
    notes: [...listNotes(old, config), ...(context === null ? (['without_context'] as const) : [])],
  };
  const layout = { columns: io.columns.out, colour: io.colour.out };
  io.out(command.json ? `${toPrintableJson(replay)}\n` : renderReplay(replay, layout));
  const { outcome, partial } = answered.issue.analysis;
  if (outcome !== 'facts_only' || !partial) return 0;
  io.err(`causeway: ${answered.trouble || 'the model gave no answer'}\n`);
  return 3;
}

interface OldAnswer {
  readonly issue: Issue;
  readonly project: Project;
  readonly settings: InvestigationSettings;
  readonly tools: CalledTools;
  /** Null: it was about no failed check, or the records of the check are gone. */
  readonly check: CheckRecords | null;
}

async function readOldAnswer(store: Store, issueId: string): Promise<OldAnswer> {
  const issue = await store.findIssue(issueId);
  const run = await store.findRunOfIssue(issueId);
  const project = issue && (await store.findProject(issue.projectId));
  if (issue === null || run === null || project === null) {
    const message = `There is no Issue ${toPrintableLine(issueId)}: it was deleted, its retention has ended, or the id belongs to another database.`;
    throw new CausewayError('absent', message);
  }
  // An answer that was taken over from an equal report was given there.
  const { sameAs } = issue.analysis;
  const tools = (await readTools(store, issueId)) ?? (sameAs === null ? null : await readTools(store, sameAs));
  return { issue, project, settings: run.settings, tools, check: await readReplayedCheck(store, issue, run.id) };
}

/** The commits since it was green, and what failed; as the first run knew them. */
async function readReplayedCheck(
  store: Store,
  { projectId, analysis }: Issue,
  runId: string,
): Promise<CheckRecords | null> {
  const head = analysis.origin === 'check-run' ? await store.findHeadOfCommit(projectId, analysis.revision) : null;
  if (head === null) return null;
  const range = await store.findRangeOfRun(runId);
  return {
    findRangeOfRun: async () => range,
    findHeadOfCommit: async () => head,
    findFailure: (id) => store.findFailure(id),
  };
}

function listNotes({ issue, tools, check }: OldAnswer, config: Config): readonly ReplayNote[] {
  const { model, origin } = issue.analysis;
  return [
    ...(tools === null && model !== null ? (['transcript_gone'] as const) : []),
    ...(origin === 'check-run' && check === null ? (['without_check'] as const) : []),
    ...(config.monitoringFile === null ? [] : (['without_monitoring'] as const)),
  ];
}

/** The other repositories that it rests on, on this disk; null: one of them is no longer known. */
async function openReplayContext(store: Store, { analysis }: Issue, config: Config, signal: AbortSignal) {
  const opened: { readonly record: ContextRepository; readonly place: string }[] = [];
  for (const record of listRead(analysis.context)) {
    const other = await store.findProject(record.projectId);
    if (other === null) return null;
    opened.push({ record, place: await openMirror(other, record.revision, config, signal) });
  }
  return opened;
}

/** A repository on this disk with the commit: the project's own, or its mirror, brought up to date. */
async function openMirror(project: Project, revision: string, config: Config, signal: AbortSignal): Promise<string> {
  const folder = getMirrorsFolder(config.dataDir);
  await using git = openSource({
    folder,
    environment: config.environment,
    credentials: async () => {
      const password = await findToken(project, config, signal);
      return password === null ? null : { username: 'x-access-token', password };
    },
  });
  const repository = await git.open(project, signal);
  if (!(await repository.ensureCommit(revision, signal))) {
    const message = `The commit ${revision.slice(0, 12)} of this answer is no longer in ${toPrintableLine(project.name)}: the report cannot be replayed.`;
    throw new CausewayError('revision_not_found', message);
  }
  const { source } = project;
  const isFolder = source.kind === 'path' && statSync(source.path, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? source.path : path.join(folder, `${project.id}.git`);
}

async function findToken(project: Project, config: Config, signal: AbortSignal): Promise<string | null> {
  const { githubToken, githubApiUrl: apiUrl, githubWebUrl: webUrl, app } = config;
  if (project.source.kind === 'path') return null;
  if (!isGithubProject(project)) {
    return URL.parse(project.source.url)?.origin === new URL(webUrl).origin ? githubToken : null;
  }
  const key = app.kind === 'given' ? app.credentials : (readKeptApp(config)?.credentials ?? null);
  const options = { apiUrl, webUrl, userAgent: USER_AGENT };
  return key === null ? githubToken : await createReadingToken(key, options, getRepository(project), signal);
}

interface Replaying extends CommandDeps, OldAnswer {
  readonly store: Store;
  /** The repository on this disk. */
  readonly place: string;
  readonly context: NonNullable<Awaited<ReturnType<typeof openReplayContext>>>;
}

/** Its cost is counted with that of the project's own runs, each question as soon as it is answered. */
async function answerAgain(command: ReplayCommand, replaying: Replaying, signal: AbortSignal) {
  const { config, log, now, io, store, issue, project, settings, place, check, context } = replaying;
  const model = command.model === null ? config.model : chooseModel(command.model, config.model);
  const { budget } = config;
  const spent = await store.readMonthCosts(project.id, now().toISOString());
  const own: Config = {
    ...config,
    model,
    budget: {
      run: budget.run,
      repository: Math.max(0, budget.repository - spent.repository),
      all: Math.max(0, budget.all - spent.all),
    },
    monitoringFile: null,
  };
  const replay = { id: createId('rpl'), projectId: project.id };
  let costUsd = 0;
  const session = await openAnalysisSession(
    {
      config: own,
      log: log.child({}, { level: 'fatal' }),
      now,
      onWait: io.err,
      onPaid: async (usd, usage) => {
        costUsd += usd;
        await store.addCommandCost(replay, { ...toSettlement(usd, usage), now: now().toISOString() });
      },
    },
    {
      name: project.name,
      source: { kind: 'path', path: place },
      isTrusted: false,
      settings: { ...settings, useModel: true, model: '' },
      asOf: issue.analysis.revision,
      origin: issue.analysis.origin,
      check,
      context,
    },
  );
  await using _session = session;
  const answer = await askOnce(session, { text: issue.analysis.report, revision: '' }, signal);
  const trouble = session.troubles().at(-1) ?? '';
  if (answer === null) throw new CausewayError('internal', `The replay ended without an answer. ${trouble}`.trim());
  return { issue: answer, tools: await session.tools(answer.id), costUsd, trouble };
}

function toReplayedAnswer(
  { analysis, rootCause, diff, investigationSteps }: Issue,
  tools: CalledTools,
): ReplayedAnswer {
  const { outcome, partial, confidence, model, suspects, proof, usage } = analysis;
  return {
    model,
    outcome,
    partial,
    confidence,
    rootCause,
    diff,
    tools,
    files: [...new Set(suspects.map(({ file }) => file))],
    steps: investigationSteps.length,
    turns: usage.turns,
    tokens: usage.promptTokens + usage.completionTokens,
    costUsd: usage.costUsd,
    seconds: usage.seconds,
    proof: proof?.state ?? null,
  };
}
