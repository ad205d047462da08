// `mcp`: the tools for coding agents over standard input and output, for repositories on this disk. Records live in
// memory as long as the command; a model is asked only with `--write`.
import { randomBytes } from 'node:crypto';
import { createApi } from '../api/index.ts';
import type { McpCommand } from '../cli/command-line.ts';
import type { ExitCode } from '../cli/terminal.ts';
import {
  createSigningSecret,
  createToken,
  createTokenRecord,
  hashToken,
  READING_SCOPES,
} from '../core/account/index.ts';
import { CausewayError } from '../core/errors.ts';
import { DEFAULT_SETTINGS } from '../core/project/index.ts';
import { serveMcpOnStdio } from '../mcp-server/index.ts';
import { createRateLimiter } from '../services/index.ts';
import { checkCallbackUrl, parseCallbackAllow } from '../webhooks/index.ts';
import type { CommandDeps } from './analyse.ts';
import { nameMirrorsBySource } from './analysis-session.ts';
import { openDataFolder } from './data-folder.ts';
import { findLocalProjects } from './local.ts';
import { openInvestigator, PATIENCE_MS } from './model.ts';
import { openServices, startWork, VERSION } from './services.ts';

/** Serves until the client closes standard input. Throws `usage` where there is no repository. */
export async function runMcp(
  { write, repository }: McpCommand,
  { config, io, log: given, now }: CommandDeps,
  signal: AbortSignal,
): Promise<ExitCode> {
  const projects =
    repository === null
      ? findLocalProjects(config.projects, io.cwd)
      : findLocalProjects([repository], io.cwd, '--repo');
  if (projects.length === 0) {
    throw new CausewayError(
      'usage',
      'There is no git repository around this folder: start in one, or give --repo PATH.',
    );
  }
  // Clients show what comes on standard error, and keep it.
  const log = config.logLevel === 'info' ? given.child({}, { level: 'warn' }) : given;
  await using open = new AsyncDisposableStack();
  const { mirrors, lexicon } = openDataFolder(config.dataDir, config.encryptionKey);
  const callbackPolicy = { allow: parseCallbackAllow(''), localMode: true };
  const services = nameMirrorsBySource(
    open.use(
      await openServices({
        database: ':memory:',
        encryptionKey: randomBytes(32),
        lexicon,
        git: { folder: mirrors, maxTogetherBytes: config.mirrorsMaxBytes, environment: config.environment },
        callbackPolicy,
        log,
        now,
      }),
    ),
  );
  const { store, account } = services;
  await store.syncProjects(projects, now().toISOString());
  if (write) {
    const { investigator } = open.use(openInvestigator({ config, log, now, patienceMs: PATIENCE_MS }));
    const { concurrency, investigationTimeoutMs } = config;
    open.use(startWork(services, { concurrency, investigationTimeoutMs, investigator }));
  }
  const token = createToken();
  const scopes = write ? [...READING_SCOPES, 'issues:write' as const] : READING_SCOPES;
  await store.addToken(createTokenRecord(account.id, now(), { name: 'mcp', scopes }), hashToken(token));
  const api = createApi({
    ...services,
    // The person at this machine may do everything with its repositories.
    permissions: { roleOf: async () => 'admin' },
    settingsOf: async () => ({ investigation: DEFAULT_SETTINGS, noPullRequests: '', ciRunsDay: 0, threshold: null }),
    limiter: createRateLimiter('off'),
    newSigningSecret: createSigningSecret,
    checkCallbackUrl: (url, field) => checkCallbackUrl(url, callbackPolicy, field),
    ready: async () => [],
    baseUrl: () => 'http://causeway.invalid',
  });
  const onFault = (error: unknown) => log.error({ err: error }, 'a tool failed');
  await serveMcpOnStdio({ api: api.fetch, token, scopes, version: VERSION, now, onFault }, signal);
  return 0;
}
