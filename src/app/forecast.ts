// `causeway forecast OWNER/NAME`: what the last 14 days of a repository would have been like, before anything is installed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toPrintableJson, toPrintableLine } from 'causeway-safe-markdown';
import type { ForecastCommand } from '../cli/command-line.ts';
import { formatForecast } from '../cli/forecast-text.ts';
import type { ExitCode, Io } from '../cli/terminal.ts';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { findGithubFailure } from '../github/clients/index.ts';
import type { Log } from '../log.ts';
import { MOST_CALLS } from '../services/index.ts';
import { openProject } from './action.ts';
import { openGithubService } from './github.ts';
import type { ActionMode } from './mode.ts';

const REPOSITORY_ROUTE = 'GET /repos/{owner}/{repo}';

/** Reads GitHub only; its records are in a folder of its own, which is removed. Asks no model. */
export async function runForecast(
  { repository, host, json }: ForecastCommand,
  deps: { readonly config: Config; readonly io: Io; readonly log: Log; readonly now: () => Date },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { io, config, now } = deps;
  const own = new URL(config.githubWebUrl).host;
  if (host !== '' && host.replace(/^www\./, '') !== own) {
    throw new CausewayError(
      'usage',
      `${toPrintableLine(host)} is not ${own}: set GHE_HOST for a GitHub Enterprise Server.`,
    );
  }
  const token = config.githubToken;
  if (token === null) {
    throw new CausewayError(
      'usage',
      `GITHUB_TOKEN is missing: GitHub shows the logs of CI only to who is signed in, those of public repositories too. With the GitHub CLI: GITHUB_TOKEN=$(gh auth token) causeway forecast ${repository}`,
    );
  }
  if (io.errIsTerminal) io.err(`Reading the last 14 days of ${toPrintableLine(repository)}; up to a minute…\n`);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'causeway-forecast-'));
  const log = config.logLevel === 'info' ? deps.log.child({}, { level: 'fatal' }) : deps.log;
  const apart: Config = { ...config, dataDir, database: { kind: 'sqlite' }, model: { kind: 'none', hint: '' } };
  const mode: ActionMode = { kind: 'action', token, mostReads: MOST_CALLS, onForbidden: () => {} };
  try {
    await using service = await openGithubService({ config: apart, log, now }, mode, signal);
    const project = await openProject(service, repository, signal);
    const forecast = await service.readForecast(project, signal);
    io.out(json ? `${toPrintableJson(forecast)}\n` : formatForecast(project.name, forecast, io.colour.out));
    return 0;
  } catch (error) {
    const failure = findGithubFailure(error);
    if (failure === null) throw error;
    const isHidden = failure.route === REPOSITORY_ROUTE && failure.kind === 'gone';
    const message = `GitHub shows this token no repository ${repository}: is the name right, and may the token read it (contents, actions, checks, issues)?`;
    throw new CausewayError('github_failed', isHidden ? message : failure.message, { cause: error });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
