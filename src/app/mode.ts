// The mode that the service runs in: local, GitHub, or setup, which creates the GitHub App and stores it in DATA_DIR.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Io, Launcher } from '../cli/terminal.ts';
import type { AppCredentials, Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { createSeal } from '../db/index.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { openDataFolder } from './data-folder.ts';

/** What every mode of the service is started with. */
export interface ServeOptions {
  readonly config: Config;
  readonly io: Io;
  readonly log: Log;
  readonly now: () => Date;
  /** False: reports are accepted, and left to another process. */
  readonly worker: boolean;
  readonly launcher: Launcher;
  /** Absent: the service makes its own. */
  readonly metrics?: Metrics | undefined;
}

export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

export interface GithubMode {
  readonly kind: 'github';
  readonly credentials: AppCredentials;
  /** Address under which GitHub and people reach the service; "": not known. */
  readonly publicUrl: string;
}

/** One job of GitHub Actions, for one repository. */
export interface ActionMode {
  readonly kind: 'action';
  readonly token: string;
  /** Calls of GitHub that read; further ones wait for longer than the job lives. */
  readonly mostReads: number;
  /** Hears of each call that GitHub refused since the token has no permission for it. */
  readonly onForbidden: (route: string) => void;
}

export type ServiceMode = { readonly kind: 'local' } | { readonly kind: 'setup' } | GithubMode;

/**
 * LOCAL_MODE decides first; then credentials, those of the environment before those stored by setup; then an address
 * that others can reach requires setup. Throws `usage` naming what is missing of incomplete credentials.
 */
export function chooseMode(config: Config): ServiceMode {
  const { app, publicUrl, host } = config;
  if (config.localMode) return requireLocal(config);
  if (app.kind === 'faulty') throw new CausewayError('usage', describeFaultyApp(app));
  if (app.kind === 'given') return { kind: 'github', credentials: app.credentials, publicUrl };
  const kept = readKeptApp(config);
  if (kept !== null) return toGithubMode(config, kept);
  const isForOthers = !isLoopback(host) || (publicUrl !== '' && !isLoopback(new URL(publicUrl).hostname));
  return isForOthers ? { kind: 'setup' } : requireLocal(config);
}

/** The environment is newer than what was entered at setup. */
export function toGithubMode(config: Pick<Config, 'publicUrl'>, kept: KeptApp): GithubMode {
  return { kind: 'github', credentials: kept.credentials, publicUrl: config.publicUrl || kept.publicUrl };
}

/** Throws `usage` where the configuration asks for something that is not local mode, naming every such variable. */
function requireLocal({ host, publicUrl }: Config): ServiceMode {
  const faults: string[] = [];
  if (!isLoopback(host)) {
    faults.push(`HOST=${host} is not a loopback address, and local mode listens on loopback only: set HOST=127.0.0.1.`);
  }
  if (publicUrl !== '' && !isLoopback(new URL(publicUrl).hostname)) {
    faults.push(
      `PUBLIC_URL=${publicUrl} is not a loopback address, and local mode answers on loopback only: remove it, or name 127.0.0.1.`,
    );
  }
  if (faults.length > 0) throw new CausewayError('usage', faults.join('\n'));
  return { kind: 'local' };
}

export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function describeFaultyApp({ variables, faults }: Extract<Config['app'], { kind: 'faulty' }>): string {
  const [verb, them] = variables.length === 1 ? ['asks', 'it'] : ['ask', 'them'];
  return `${faults}\n${variables.join(', ')} ${verb} for a GitHub App: for local mode remove ${them}, or set LOCAL_MODE=1.`;
}

/** The App that the set-up page made, sealed with the encryption key, readable only by the service's user. */
export interface KeptApp {
  readonly credentials: AppCredentials;
  /** Address under which GitHub reaches the service, as it was given at set-up. */
  readonly publicUrl: string;
}

const PURPOSE = 'github-app';

/** The App of an earlier setup; null where there was none. Throws `store_unusable` where it cannot be decrypted. */
export function readKeptApp({ dataDir, encryptionKey, database }: Config): KeptApp | null {
  const file = path.join(dataDir, 'github-app');
  if (!existsSync(file)) return null;
  const sealed = readFileSync(file, 'utf8').trim();
  const seal = createSeal(openDataFolder(dataDir, encryptionKey, database).encryptionKey);
  // Only we write what the seal opens: this check is for the form of another version.
  const { credentials, publicUrl }: Partial<KeptApp> = JSON.parse(seal.open(sealed, PURPOSE));
  if (typeof credentials?.appId === 'number' && typeof credentials.privateKey === 'string') {
    return { credentials, publicUrl: publicUrl ?? '' };
  }
  throw new CausewayError(
    'store_unusable',
    `${file} was not written by this version: restore it from a backup, or set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET.`,
  );
}

/** Whole or not at all: a kill in the middle leaves the earlier file. */
export function keepApp({ dataDir, encryptionKey, database }: Config, app: KeptApp): void {
  const seal = createSeal(openDataFolder(dataDir, encryptionKey, database).encryptionKey);
  const file = path.join(dataDir, 'github-app');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${seal.seal(JSON.stringify(app), PURPOSE)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, file);
}
