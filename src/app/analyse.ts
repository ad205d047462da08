// `analyse` and `demo`: an investigation in the terminal, with services in memory that live as long as the command.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AnalysisSession, analyse, type Investigator, runDemo } from '../cli/analyse.ts';
import type { AnalyseCommand, DemoCommand } from '../cli/command-line.ts';
import { getRepositoryName, type Subject } from '../cli/report-input.ts';
import { type ExitCode, type Io, type Launcher, toPrintableLine } from '../cli/terminal.ts';
import type { Config, ModelConfig } from '../config.ts';
import { toUnifiedPatch } from '../core/diff/unified-patch.ts';
import type { Project } from '../core/project.ts';
import { describeWaitReason } from '../core/reason.ts';
import { DEFAULT_SETTINGS } from '../core/settings.ts';
import { createAddressReader } from '../github/read-address.ts';
import type { Log } from '../log.ts';
import { acceptReport } from '../services/accept-report.ts';
import { follow } from '../services/follow.ts';
import type { Wait } from '../services/run-investigation.ts';
import { parseCallbackAllow } from '../webhooks/address-policy.ts';
import { openDataFolder } from './data-folder.ts';
import { DEMO_SCRIPT, DEMO_SOURCE, findRepositoryAround, readDemoReport } from './local.ts';
import { openInvestigator } from './model.ts';
import { openServices, type Services, startWork, USER_AGENT } from './services.ts';

export interface CommandDeps {
  readonly config: Config;
  readonly io: Io;
  readonly log: Log;
  readonly now: () => Date;
}

/** Investigates the report that the arguments name. */
export function runAnalyse(command: AnalyseCommand, deps: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  const { githubToken: token, githubApiUrl: apiUrl, githubWebUrl: webUrl } = deps.config;
  const readAddress = createAddressReader({ token, apiUrl, webUrl, userAgent: USER_AGENT });
  const subjectDeps = { readAddress, repositoryAround: findRepositoryAround };
  return analyse(command, deps.io, { ...createInvestigation(deps), ...subjectDeps }, signal);
}

/** Investigates the bug that ships with Causeway. Its records are removed afterwards. */
export async function analyseDemo(
  command: DemoCommand,
  deps: CommandDeps & { readonly launcher: Launcher },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { config, io, launcher } = deps;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'causeway-demo-'));
  try {
    const askModel = (model: ModelConfig) => createInvestigation({ ...deps, config: { ...config, dataDir, model } });
    const { model } = config;
    const parts = {
      search: askModel({ kind: 'none', hint: '' }),
      answer: askModel(model.kind === 'none' ? { kind: 'scripted', file: DEMO_SCRIPT } : model),
      model: model.kind === 'endpoint' ? model.name : null,
      source: DEMO_SOURCE,
      report: readDemoReport(),
      launcher,
    };
    return await runDemo(command, io, parts, signal);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The steps are printed instead of the log, and only fatal lines remain. */
function createInvestigation({ config, io, log, now }: CommandDeps): Investigator {
  const quiet = config.logLevel === 'info' ? log.child({}, { level: 'fatal' }) : log;
  return {
    open: (subject) => openSession({ config, log: quiet, now, io }, subject),
    now,
  };
}

/** A person sits at the terminal; the service waits longer. */
const PATIENCE_MS = 2 * 60 * 1_000;

/**
 * Services over one repository. Its mirror stays in DATA_DIR, so that the next command need not fetch all of it again.
 */
async function openSession(
  { config, log, now, io }: Omit<CommandDeps, 'io'> & { readonly io: Pick<Io, 'err'> },
  { source, isOwn }: Subject,
): Promise<AnalysisSession> {
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
      },
      callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
      log,
      now,
    }),
  );
  const { store, account } = services;
  // As the service names it: `local/FOLDER`, or `owner/name`.
  const shown = getRepositoryName(source);
  const name = source.kind === 'path' ? `local/${shown}` : shown.split('/').slice(-2).join('/');
  const [project] = await store.syncProjects([{ name, source }], now().toISOString());
  if (project === undefined) throw new Error('the project that was just made is not there');
  const { investigator } = opening.use(openInvestigator({ config, log, now, patienceMs: PATIENCE_MS }));
  // The person at the terminal is the operator.
  const troubles: string[] = [];
  opening.use(
    startWork(nameMirrorsBySource(services), {
      concurrency: config.concurrency,
      investigationTimeoutMs: config.investigationTimeoutMs,
      investigator,
      // On a full disk the command fails and says so.
      waitsForSpace: false,
      onWait: (wait) => io.err(describeWait(wait)),
      onTrouble: (text) => void troubles.push(toPrintableLine(text)),
    }),
  );
  const opened = opening.move();
  return {
    start: async ({ text, revision }) => {
      const accepted = await acceptReport(services, {
        projectId: project.id,
        accountId: account.id,
        origin: 'cli',
        text,
        revision,
        isTrusted: isOwn,
        reference: '',
        callbackUrl: '',
        settings: DEFAULT_SETTINGS,
        fresh: true,
      });
      if (accepted.kind === 'key_reused') throw new Error('a report without a key cannot reuse one');
      return accepted.investigationId;
    },
    follow: (id, until) => follow(services, id, 0, until),
    issue: (id) => store.findIssue(id),
    troubles: () => troubles,
    patch: async (issueId) => {
      const changes = await store.findChangeSet(issueId);
      return changes === null ? '' : toUnifiedPatch(changes);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function describeWait({ until, code, detail }: Wait): string {
  return `Waiting for ${describeWaitReason(code)} until ${until.toLocaleTimeString('en-GB')}: ${toPrintableLine(detail)}\n`;
}

/** The store's ids last as long as the command; the mirror, and what is kept of it, is named by what it mirrors. */
function nameMirrorsBySource(services: Services): Services {
  const { source, lexicons } = services;
  const withStableId = (project: Project): Project => {
    const place = project.source.kind === 'path' ? project.source.path : project.source.url;
    return { ...project, id: `src_${createHash('sha256').update(place).digest('hex').slice(0, 32)}` };
  };
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
