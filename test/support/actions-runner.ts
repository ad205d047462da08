// A runner of GitHub Actions over the GitHub double: it starts the action for an event as GitHub does, with the event's file,
// the environment, a token with the permissions that the workflow names, and files for outputs and summary.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type App,
  type AppInstallation,
  type AppPermissions,
  type Comment,
  type GithubDouble,
  type GithubRepository,
  type State,
  startGithubDouble,
} from 'causeway-github-double';
import { CAUSEWAY_APP } from './causeway-app.ts';
import { COMPILED } from './compiled.ts';
import { OWNER } from './github-stage.ts';
import { MARK } from './leftover-processes.ts';
import { PROGRAM, temporaryFolder } from './service.ts';

/** What docs/action.md writes for mode `fix`. */
export const FIX_PERMISSIONS: AppPermissions = {
  ...{ contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' },
  ...{ actions: 'read', statuses: 'read', metadata: 'read' },
};

interface JobOptions {
  /** Default: what the double told last of that event. */
  readonly payload?: object;
  readonly permissions?: AppPermissions;
  readonly env?: Readonly<Record<string, string>>;
  /** Inputs of the step, by name. */
  readonly with?: Readonly<Record<string, string>>;
  /** Instead of the token of the workflow. */
  readonly token?: string;
  /** What is started, with its arguments; default: the program and its command. */
  readonly program?: readonly string[];
  /** Kills the job at the moment that this resolves. */
  readonly killedWhen?: Promise<unknown>;
}

export interface EndedJob {
  /** Null: it was killed. */
  readonly code: number | null;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** As it was written. */
  readonly outputFile: string;
  readonly token: string;
}

export interface ActionsStage extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly actions: App;
  readonly installationId: number;
  /** One job for the newest event of that name in the repository. */
  job(event: string, repository: string, options?: JobOptions): Promise<EndedJob>;
  /** Payload of the newest event of that name there, as the file of an event has it. */
  newest(event: string, repository: string): Promise<object>;
  /** Comments of the bot of Actions on an issue or pull request. */
  ourComments(repository: string, number: number): readonly Comment[];
}

const EVENTS = ['issues', 'issue_comment', 'workflow_run', 'workflow_dispatch'];

/** Switches Actions on for the owner; what it did there is done by the App `github-actions`. */
export function installActions({ people }: GithubDouble, owner: string): AppInstallation {
  return people.install(owner, {
    ...{ app: people.otherApp('github-actions'), by: 'nora', events: EVENTS },
    permissions: { ...FIX_PERMISSIONS, actions: 'write' },
  });
}

interface Runner {
  /** Starts one job of the repository, for an event with this payload. */
  run(event: string, repository: string, job: JobOptions & { readonly payload: object }): Promise<EndedJob>;
}

/** `env`: of every job, such as the model and its key. Its files are in `folder`. */
export function createRunner(
  { state, urls, repository }: GithubDouble,
  installation: AppInstallation,
  { folder, env = {} }: { readonly folder: string; readonly env?: Readonly<Record<string, string>> },
): Runner {
  let runs = 0;
  return {
    async run(event, name, options) {
      const found = repository(name);
      const run = ++runs;
      const place = path.join(folder, `job-${run}`);
      const temporary = path.join(place, 'temp');
      await mkdir(temporary, { recursive: true });
      const files = {
        event: path.join(place, 'event.json'),
        output: path.join(place, 'output'),
        summary: path.join(place, 'summary'),
      };
      // A workflow's event names no installation.
      const { installation: _, ...payload } = options.payload as Record<string, unknown>;
      await Promise.all([
        writeFile(files.event, JSON.stringify(payload)),
        writeFile(files.output, ''),
        writeFile(files.summary, ''),
      ]);
      const token = options.token ?? issueToken(state, installation, found, options.permissions);
      const inputs = Object.fromEntries(
        Object.entries(options.with ?? {}).map(([input, value]) => [`INPUT_${input.toUpperCase()}`, value]),
      );
      const environment = {
        ...env,
        PATH: process.env['PATH'] ?? '',
        GITHUB_ACTIONS: 'true',
        GITHUB_API_URL: urls.api,
        GITHUB_SERVER_URL: urls.web,
        GITHUB_REPOSITORY: name,
        GITHUB_EVENT_NAME: event,
        GITHUB_EVENT_PATH: files.event,
        GITHUB_OUTPUT: files.output,
        GITHUB_STEP_SUMMARY: files.summary,
        GITHUB_RUN_ID: String(run),
        GITHUB_WORKFLOW_REF: `${name}/.github/workflows/causeway.yml@refs/heads/${found.defaultBranch}`,
        RUNNER_TEMP: temporary,
        INPUT_TOKEN: token,
        ...inputs,
        ...options.env,
      };
      const ended = await start(options.program ?? [PROGRAM, 'action'], environment, place, options.killedWhen);
      return {
        ...ended,
        token,
        summary: await readFile(files.summary, 'utf8'),
        outputFile: await readFile(files.output, 'utf8'),
        outputs: readOutputs(await readFile(files.output, 'utf8')),
      };
    },
  };
}

/** The double with Actions switched on for the whole organisation. `env`: of every job, such as the model and its key. */
export async function openActionsStage(env: Readonly<Record<string, string>> = {}): Promise<ActionsStage> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const double = opening.use(await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP }));
  const { people } = double;
  people.organization(OWNER, { owners: ['nora'], members: ['per'] });
  const actions = people.otherApp('github-actions');
  const installation = installActions(double, OWNER);
  const runner = createRunner(double, installation, { folder: folder.path, env });
  const opened = opening.move();
  const stage: ActionsStage = {
    double,
    actions,
    installationId: installation.id,
    ourComments: (name, number) => people.comments(name, number).filter(({ authorId }) => authorId === actions.botId),
    async newest(event, name) {
      await double.webhooks.settled();
      const { id } = double.repository(name);
      const found = double.webhooks
        .deliveries(actions.id)
        .find((one) => one.event === event && one.repositoryId === id);
      if (found === undefined) throw new Error(`The double told of no ${event} in ${name}.`);
      return found.request.payload;
    },
    job: async (event, name, options = {}) => {
      const payload = options.payload ?? (await stage.newest(event, name));
      return await runner.run(event, name, { ...options, payload });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  return stage;
}

function start(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  killedWhen: Promise<unknown> | undefined,
): Promise<Pick<EndedJob, 'code' | 'log'>> {
  return new Promise((resolve) => {
    const marked = { [MARK]: process.env[MARK], ...COMPILED, ...env };
    const options = { cwd, env: marked, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(process.execPath, program, options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, log: `${out}${err}` });
    });
    void killedWhen?.then(() => child.kill('SIGKILL'));
  });
}

/** As the runner reads them. */
function readOutputs(text: string): Readonly<Record<string, string>> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const [, name, end] = /^([\w-]+)<<(.+)$/.exec(lines[at] ?? '') ?? [];
    if (name === undefined || end === undefined) continue;
    const value: string[] = [];
    for (at += 1; at < lines.length && lines[at] !== end; at += 1) value.push(lines[at] ?? '');
    outputs[name] = value.join('\n');
  }
  return outputs;
}

/** A token of an App of the repository's own, whose pushes start workflows. */
export function makeAppToken({ double }: Pick<ActionsStage, 'double'>, name: string): string {
  const { people, state, app } = double;
  const { id: ownerId } = double.account(OWNER);
  const known = [...state.installations.values()].find(
    ({ appId, accountId }) => appId === app.id && accountId === ownerId,
  );
  const installation = known ?? people.install(OWNER, { app, by: 'nora', permissions: FIX_PERMISSIONS });
  return issueToken(state, installation, double.repository(name));
}

/** An hour long, and for that repository alone. */
function issueToken(
  { tokens, clock }: State,
  { id: installationId }: AppInstallation,
  { id }: GithubRepository,
  permissions = FIX_PERMISSIONS,
): string {
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  tokens.set(token, {
    ...{ kind: 'installation', installationId, repositoryIds: new Set([id]) },
    permissions: { ...permissions, metadata: 'read' },
    expiresAt: new Date(clock.now().getTime() + 3_600_000).toISOString(),
  });
  return token;
}
