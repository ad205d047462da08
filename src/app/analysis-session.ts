// An investigation service over one repository that lives as long as a command: `analyse`, `replay`, `eval`.
import { createHash, randomBytes } from 'node:crypto';
import { applyFileDiff, type Diff, toUnifiedPatch } from 'causeway-diff';
import type { SourceTree } from 'causeway-git-objects';
import { computeCost, type Model, ModelFailure } from 'causeway-models';
import { toPrintableLine } from 'causeway-safe-markdown';
import type { AnalysisSession } from '../cli/analyse.ts';
import { getRepositoryName } from '../cli/report-input.ts';
import type { Config } from '../config.ts';
import type { Issue } from '../core/issue/index.ts';
import {
  DEFAULT_SETTINGS,
  type InvestigationSettings,
  type Project,
  type ProjectSource,
} from '../core/project/index.ts';
import { describeWaitReason } from '../core/reason.ts';
import type { Report } from '../core/report/index.ts';
import type { ContextRepository, Source } from '../core/source/index.ts';
import type { Store } from '../db/index.ts';
import { getBookedPrices, listExchanges, type TranscriptRecord } from '../investigate/index.ts';
import type { Log } from '../log.ts';
import { acceptReport, followInvestigation, type Investigator, type Wait } from '../services/index.ts';
import { parseCallbackAllow } from '../webhooks/index.ts';
import { openDataFolder } from './data-folder.ts';
import { openSource } from './git-source.ts';
import { openInvestigator } from './model.ts';
import { openServices, type Services, startWork } from './services.ts';

/** A person sits at the terminal; the service waits longer. */
const PATIENCE_MS = 2 * 60 * 1_000;

type OnPaid = (usd: number, usage: ModelFailure['spent']) => Promise<void>;

/** As the records count it. */
export function toSettlement(usd: number, usage: ModelFailure['spent']) {
  const tokens = {
    prompt: usage.promptTokens,
    cached: usage.cachedTokens,
    cacheWrite: usage.cacheWriteTokens ?? 0,
    completion: usage.completionTokens,
  };
  return { spent: Math.ceil(usd * 1_000_000), tokens };
}

interface SessionOptions {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => Date;
  /** Receives a line when an investigation has to wait. */
  readonly onWait: (text: string) => void;
  /** Called for each answer of the model, and each that broke off, with what it cost in US dollars, at the nominal price where it has none. */
  readonly onPaid?: OnPaid;
}

interface SessionProject {
  readonly name: string;
  readonly source: ProjectSource;
  /** Whether every word of the reports is by someone who may write to the project. */
  readonly isTrusted: boolean;
  readonly settings?: InvestigationSettings;
  /** Whose question it is, and what the records say of the check that failed; absent: a person's at the terminal. */
  readonly origin?: Report['origin'];
  readonly check?: CheckRecords | null;
  /** The repository as if nothing had come after this commit; only for one on this disk. */
  readonly asOf?: string;
  /** Other repositories, at the commits that an earlier run has read; `place`: on this disk. */
  readonly context?: readonly { readonly record: ContextRepository; readonly place: string }[];
}

/** Of a failed check that a run was about. */
export type CheckRecords = Pick<Store, 'findRangeOfRun' | 'findHeadOfCommit' | 'findFailure'>;

/** As the service names it: `local/FOLDER`, or `owner/name`. */
export function nameProject(source: ProjectSource): { readonly name: string; readonly source: ProjectSource } {
  const shown = getRepositoryName(source);
  return { name: source.kind === 'path' ? `local/${shown}` : shown.split('/').slice(-2).join('/'), source };
}

/**
 * Its records are in memory; the mirror stays in DATA_DIR, so that the next command need not fetch all of it again.
 */
export async function openAnalysisSession(
  { config, log, now, onWait, onPaid }: SessionOptions,
  { name, source, isTrusted, settings = DEFAULT_SETTINGS, origin = 'cli', check, asOf, context = [] }: SessionProject,
): Promise<AnalysisSession & { readonly tools: (issueId: string) => Promise<CalledTools> }> {
  await using opening = new AsyncDisposableStack();
  const { mirrors, lexicon } = openDataFolder(config.dataDir, config.encryptionKey);
  const services = opening.use(
    await openServices({
      database: ':memory:',
      encryptionKey: randomBytes(32),
      lexicon,
      git: {
        folder: mirrors,
        maxTogetherBytes: config.mirrorsMaxBytes,
        environment: config.environment,
        credentials: async (project) => findGithubCredentials(config, project),
        asOf,
      },
      callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
      log,
      now,
    }),
  );
  const { store, account } = services;
  const others = context.map(({ record, place }) => ({
    name: record.repository,
    source: { kind: 'path', path: place } as const,
  }));
  const synced = await store.syncProjects([{ name, source }, ...others], now().toISOString());
  const findSynced = (wanted: ProjectSource): Project => {
    const found = synced.find((each) => JSON.stringify(each.source) === JSON.stringify(wanted));
    if (found === undefined) throw new Error('the project that was just made is not there');
    return found;
  };
  const project = findSynced(source);
  const recorded = context.map(({ record, place }) => ({
    ...record,
    projectId: findSynced({ kind: 'path', path: place }).id,
  }));
  const ids = new Set(recorded.map(({ projectId }) => projectId));
  const whole = opening.use(openSource({ folder: mirrors, environment: config.environment }));
  const { investigator } = opening.use(openInvestigator({ config, log, now, patienceMs: PATIENCE_MS }));
  const troubles: string[] = [];
  opening.use(
    startWork(
      { ...withWholeSource(nameMirrorsBySource(services), ids, whole), store: { ...store, ...check } },
      {
        concurrency: config.concurrency,
        investigationTimeoutMs: config.investigationTimeoutMs,
        investigator: onPaid === undefined ? investigator : countPayments(investigator, onPaid),
        context:
          recorded.length === 0
            ? null
            : { listNames: async () => [], isReadableByAll: async () => true, showsSteps: true, recorded },
        // On a full disk the command fails and says so.
        waitsForSpace: false,
        onWait: (wait) => onWait(describeWait(wait)),
        onTrouble: (text) => void troubles.push(toPrintableLine(text)),
      },
    ),
  );
  const opened = opening.move();
  return {
    start: async ({ text, revision }) => {
      const accepted = await acceptReport(services, {
        projectId: project.id,
        accountId: account.id,
        origin,
        text,
        revision,
        isTrusted,
        reference: '',
        callbackUrl: '',
        settings,
        fresh: true,
      });
      if (accepted.kind === 'key_reused') throw new Error('a report without a key cannot reuse one');
      return accepted.investigationId;
    },
    follow: (id, until) => followInvestigation(services, id, 0, until),
    issue: (id) => store.findIssue(id),
    tools: (issueId) => readTools(store, issueId),
    troubles: () => troubles,
    patch: async (issueId) => {
      const changes = await store.findChangeSet(issueId);
      return changes === null ? '' : toUnifiedPatch(changes);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The projects of these ids are read as they are, not as of a commit of another one. */
function withWholeSource(services: Services, ids: ReadonlySet<string>, whole: Source): Services {
  const { source } = services;
  const open: Source['open'] = (project, signal) =>
    ids.has(project.id) ? whole.open(withStableId(project), signal) : source.open(project, signal);
  return { ...services, source: { ...source, open } };
}

/** Names of the tools that a model called, turn by turn; null: there was none, or its transcript is gone. */
export type CalledTools = readonly (readonly string[])[] | null;

export async function readTools(store: Store, issueId: string): Promise<CalledTools> {
  const run = await store.findRunOfIssue(issueId);
  const entries = run === null ? [] : await store.readTranscript(run.id);
  // The first entry holds the facts; a second look's are no turns of the answer.
  const records = entries.slice(1).map((entry): TranscriptRecord & { conversation?: string } => JSON.parse(entry));
  const turns = listExchanges(records.filter(({ conversation }) => conversation === undefined));
  return turns.length === 0 ? null : turns.map(({ turn }) => turn.toolCalls.map(({ name }) => name));
}

/** Follows one investigation to its end. Null where it ended without an Issue. */
export async function askOnce(
  session: AnalysisSession,
  report: { readonly text: string; readonly revision: string },
  signal: AbortSignal,
): Promise<Issue | null> {
  const id = await session.start(report);
  for await (const event of session.follow(id, signal)) {
    if (event.type !== 'end') continue;
    const outcome = event.investigation?.outcome;
    return outcome?.state === 'concluded' ? await session.issue(outcome.issueId) : null;
  }
  signal.throwIfAborted();
  return null;
}

/** Tried, though an answer's change is made so that it always does. */
export async function doesApply({ files }: Diff, base: SourceTree, signal: AbortSignal): Promise<boolean> {
  for (const file of files) {
    const read = file.status === 'added' ? null : await base.read(file.previousFileName ?? file.fileName, {}, signal);
    if (read !== null && (read.kind !== 'text' || read.cut !== '')) return false;
    if (applyFileDiff(read?.text ?? '', file) === null) return false;
  }
  return true;
}

function countPayments(investigator: Investigator | null, onPaid: OnPaid): Investigator | null {
  if (investigator === null) return null;
  const count = (model: Model): Model => {
    const pay = (usage: ModelFailure['spent']) => onPaid(computeCost(usage, getBookedPrices(model.prices)), usage);
    const ask: Model['ask'] = async (request, signal) => {
      try {
        const turn = await model.ask(request, signal);
        await pay(turn.usage);
        return turn;
      } catch (error) {
        if (error instanceof ModelFailure) await pay(error.spent);
        throw error;
      }
    };
    return { ...model, ask };
  };
  const { model, second } = investigator;
  return { ...investigator, model: count(model), ...(second && { second: count(second) }) };
}

function describeWait({ until, code, detail }: Wait): string {
  return `Waiting for ${describeWaitReason(code)} until ${until.toLocaleTimeString('en-GB')}: ${toPrintableLine(detail)}\n`;
}

function withStableId(project: Project): Project {
  const place = project.source.kind === 'path' ? project.source.path : project.source.url;
  return { ...project, id: `src_${createHash('sha256').update(place).digest('hex').slice(0, 32)}` };
}

/** The store's ids last as long as the command; the mirror, and what is kept of it, is named by what it mirrors. */
export function nameMirrorsBySource(services: Services): Services {
  const { source, lexicons } = services;
  return {
    ...services,
    source: {
      open: (project, signal) => source.open(withStableId(project), signal),
      forget: (id, signal) => source.forget(id, signal),
    },
    lexicons: { of: (project) => lexicons.of(withStableId(project)), forget: (id) => lexicons.forget(id) },
  };
}

/** GITHUB_TOKEN reads private repositories of GitHub; no other host ever sees it. */
function findGithubCredentials({ githubToken, githubWebUrl }: Config, { source }: Project) {
  const url = source.kind === 'path' ? '' : source.url;
  if (githubToken === null || URL.parse(url)?.origin !== new URL(githubWebUrl).origin) return null;
  return { username: 'x-access-token', password: githubToken };
}
