// The terminal's investigations: the same house as the service's, in memory, gone when the command ends.
import { createHash, randomBytes } from 'node:crypto';
import type { AnalysisSession } from '../cli/analyse.ts';
import { nameOf, type Subject } from '../cli/gather-subject.ts';
import { printableLine } from '../cli/printable.ts';
import type { Config } from '../config.ts';
import { toUnifiedPatch } from '../core/diff/unified-patch.ts';
import type { Lexicons } from '../core/lexicon.ts';
import type { Project, ProjectSource } from '../core/project.ts';
import { waitingFor } from '../core/reason.ts';
import type { Report } from '../core/report.ts';
import { DEFAULT_SETTINGS } from '../core/settings.ts';
import type { Source } from '../core/source.ts';
import type { GitSourceOptions } from '../git/mirror.ts';
import type { Log } from '../log.ts';
import { acceptReport } from '../services/accept-report.ts';
import { follow } from '../services/follow.ts';
import { parseCallbackAllow } from '../webhooks/callback-policy.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { type House, openHouse, startWork, type Wait } from './house.ts';
import { openInvestigator } from './open-investigator.ts';

export interface SessionOptions {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => Date;
  /** Words for whoever waits before the terminal. */
  readonly say: (text: string) => void;
}

/** Somebody sits before the terminal; the service waits longer. */
const PATIENCE_MS = 2 * 60 * 1_000;

/** As the service names it: `local/FOLDER`, or `owner/name`. */
function projectName(source: ProjectSource): string {
  return source.kind === 'path' ? `local/${nameOf(source)}` : nameOf(source).split('/').slice(-2).join('/');
}

/** A house over one repository. Its mirror stays in DATA_DIR, so that the next command need not fetch all of it again. */
export async function openSession(
  options: SessionOptions,
  { source, isOwn }: Pick<Subject, 'source' | 'isOwn'>,
): Promise<AnalysisSession> {
  const { config } = options;
  await using opening = new AsyncDisposableStack();
  const folder = openDataFolder(config.dataDir, config.encryptionKey);
  const house = opening.use(await openMemoryHouse(options, folder));
  const [project] = await house.store.syncProjects([{ name: projectName(source), source }], house.now().toISOString());
  if (project === undefined) throw new Error('the project that was just made is not there');
  const { investigator } = opening.use(
    openInvestigator({
      ...options,
      patienceMs: PATIENCE_MS,
    }),
  );
  const onWait = ({ until, code, detail }: Wait) =>
    options.say(
      `Waiting for ${waitingFor(code)} until ${until.toLocaleTimeString('en-GB')}: ${printableLine(detail)}\n`,
    );
  // The person at the terminal is the operator.
  const troubles: string[] = [];
  const onTrouble = (text: string) => void troubles.push(printableLine(text));
  // On a full disk the command fails and says so.
  const asked = { investigator, waitsForSpace: false, onWait, onTrouble };
  opening.use(startWork({ ...house, ...keptBySource(house) }, { ...config, ...asked }));
  const opened = opening.move();
  return {
    start: (report) => start(house, project, { ...report, isTrusted: isOwn }),
    follow: (id, signal) => follow(house, id, 0, signal),
    issue: (id) => house.store.issue(id),
    troubles: () => troubles,
    patch: async (issueId) => {
      const changes = await house.store.changeSet(issueId);
      return changes === null ? '' : toUnifiedPatch(changes);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function openMemoryHouse({ config, log, now }: SessionOptions, { mirrors, lexicon }: DataFolder): Promise<House> {
  return openHouse({
    database: ':memory:',
    encryptionKey: randomBytes(32),
    lexicon,
    git: {
      ...{ folder: mirrors, maxTogetherBytes: config.mirrorsMaxBytes },
      ...{ environment: config.environment, credentials: githubCredentials(config) },
    },
    callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
    log,
    now,
  });
}

async function start(
  house: House,
  project: Project,
  report: Pick<Report, 'text' | 'revision' | 'isTrusted'>,
): Promise<string> {
  const own = {
    projectId: project.id,
    accountId: house.account.id,
    origin: 'cli',
    reference: '',
    callbackUrl: '',
    settings: DEFAULT_SETTINGS,
  } as const;
  const accepted = await acceptReport(house, { ...own, ...report, fresh: true });
  if (accepted.kind === 'key_reused') throw new Error('a report without a key cannot reuse one');
  return accepted.investigationId;
}

/** The store's ids last as long as the command; the mirror, and what is kept of it, is named by what it mirrors. */
function keptBySource({ source, lexicons }: Pick<House, 'source' | 'lexicons'>): {
  readonly source: Source;
  readonly lexicons: Lexicons;
} {
  const stable = (project: Project): Project => {
    const place = project.source.kind === 'path' ? project.source.path : project.source.url;
    return { ...project, id: `src_${createHash('sha256').update(place).digest('hex').slice(0, 32)}` };
  };
  return {
    source: {
      open: (project, signal) => source.open(stable(project), signal),
      forget: (id, until) => source.forget(id, until),
    },
    lexicons: { of: (project) => lexicons.of(stable(project)), forget: (id) => lexicons.forget(id) },
  };
}

/** GITHUB_TOKEN reads private repositories of GitHub; no other host ever sees it. */
function githubCredentials(config: Config): NonNullable<GitSourceOptions['credentials']> {
  const github = new URL(config.githubWebUrl).origin;
  return async ({ source }) => {
    const url = source.kind === 'path' ? '' : source.url;
    if (config.githubToken === null || URL.parse(url)?.origin !== github) return null;
    return { username: 'x-access-token', password: config.githubToken };
  };
}
