// What `serve` and `worker` print when they are ready: in local mode, with a GitHub App, and before there is one.

import { toPrintableLine } from 'causeway-safe-markdown';
import { quoteLiteral } from '../core/command-words.ts';
import type { Project } from '../core/project/index.ts';
import type { ExampleReport } from '../core/report/index.ts';
import type { Launcher } from './terminal.ts';

interface ModelState {
  /** Null: none is used. */
  readonly model: string | null;
  /** What is missing in the model's settings, or what follows from them; "" for nothing. */
  readonly modelHint: string;
}

interface Started extends ModelState {
  /** Base address, without a slash at its end. */
  readonly address: string;
  /** False: reports are only stored. */
  readonly worker: boolean;
  readonly paused: boolean;
  readonly launcher: Launcher;
}

export interface LocalStarted extends Started {
  readonly projects: readonly Project[];
  /** About the demo project; null: it is not among the projects. */
  readonly example: ExampleReport | null;
  readonly token: KnownToken;
  /** Opens the account area, once. */
  readonly signInLink: string;
}

/** `made` just now; `unused`: the account has tokens that were never used; `used`: the operator knows how it works. */
export type KnownToken =
  | { readonly kind: 'made'; readonly value: string }
  | { readonly kind: 'unused' }
  | { readonly kind: 'used' };

export interface GithubStarted extends Started {
  /** PUBLIC_URL is missing, although the port is open to other machines. */
  readonly lacksPublicUrl: boolean;
  readonly listening: string;
  /** Whether people can sign in with GitHub. */
  readonly hasSignIn: boolean;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly appId: number;
  /** The most that a repository may choose. */
  readonly maxMode: string;
  /** Variables that a command in another terminal needs as well, with the values of the service. */
  readonly commandNeeds: readonly string[];
}

interface WorkerStarted extends ModelState {
  /** Base address of its own port. */
  readonly listening: string;
  /** Address of the database, without its password. */
  readonly database: string;
  /** Investigations at a time. */
  readonly concurrency: number;
  readonly paused: boolean;
}

/** Names after these are on the page of projects. */
const MAX_NAMES = 5;
const RECEIVER_ADDRESS = 'http://127.0.0.1:4000/';
const RECEIVER = `node -e 'require("http").createServer((request, answer) => {
  request.pipe(process.stdout); request.on("end", () => answer.end())
}).listen(4000, "127.0.0.1")'`;
const NO_PUBLIC_URL = `Set PUBLIC_URL to the address at which GitHub and people reach this service, such as
https://causeway.example.com: the addresses above only work on this machine.`;

/** One line: the model that is used, or that there is none and what to set. */
export function formatModel({ model, modelHint }: ModelState): string {
  const hint = toPrintableLine(modelHint);
  if (model !== null) return `Model: ${toPrintableLine(model)}${hint === '' ? '' : `. ${hint}`}`;
  return `Model: none (search only). ${hint || 'Set MODEL and OPENAI_API_KEY or OPENAI_BASE_URL to use one.'}`;
}

export function formatLocalStart(started: LocalStarted): string {
  const { address, token, launcher, signInLink, projects, example } = started;
  const names = projects.map(({ id, name }) => `${toPrintableLine(name)}${id === example?.projectId ? ' (demo)' : ''}`);
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const newToken = token.kind === 'made' ? '' : ` (new token: ${launcher.here} token create --name laptop)`;
  return joinSections(
    started,
    [
      `Causeway is ready: ${signInLink}`,
      `  Sign-in link (single use, valid 1 hour; new one: ${launcher.here} sign-in)`,
      `  Projects (set PROJECTS to change): ${names.slice(0, MAX_NAMES).join(', ')}${more}`,
      ...placeModel(started),
      `  API: ${address}/docs${newToken}`,
    ],
    [
      ...(token.kind === 'made' ? [`Your token (shown once): ${token.value}`] : []),
      ...(token.kind === 'used' ? [] : [formatCalls(started, token.kind === 'made' ? token.value : null)]),
    ],
  );
}

export function formatGithubStart(started: GithubStarted): string {
  const { address, listening, webUrl, appId, maxMode, launcher, hasSignIn, lacksPublicUrl, commandNeeds } = started;
  const account = hasSignIn
    ? `${address}/projects`
    : 'set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET of the App so that people can sign in.';
  const needs = commandNeeds.length === 0 ? '' : ` (with ${commandNeeds.join(' and ')} set as here)`;
  return joinSections(
    started,
    [
      `Causeway is ready: ${address}`,
      `  Account area: ${account}`,
      `  API and examples: ${address}/docs`,
      `  GitHub: ${webUrl}, App ${appId}; webhooks arrive at ${address}/api/github/webhooks`,
      `  Listening on ${listening}. Press Ctrl-C to stop.`,
      ...placeModel(started),
      ...(maxMode === 'fix' ? [] : [`  Mode: ${maxMode} at most (MAX_MODE).`]),
    ],
    [
      ...(lacksPublicUrl ? [`${NO_PUBLIC_URL}\nSign-in and links in comments need it.`] : []),
      `To create an API token for a GitHub user${needs}:
  ${launcher.here} token create --account LOGIN --name laptop`,
    ],
  );
}

/** Ends with a line feed. A model that is only partly configured is mentioned first, since it was meant to work. */
function joinSections(started: Started, head: readonly string[], rest: readonly string[]): string {
  const { worker, paused, launcher } = started;
  const sections = [
    [...(isModelMissing(started) ? [formatModel(started)] : []), ...head].join('\n'),
    ...(worker
      ? []
      : [
          `No worker in this process: reports are stored, but nothing runs or is sent until a
start without --no-worker (or, with PostgreSQL, a "causeway worker").`,
        ]),
    ...(paused
      ? [
          `Paused: reports are stored, but no model is used and nothing is posted, until
  ${launcher.here} resume`,
        ]
      : []),
    ...rest,
  ];
  return `${sections.join('\n\n')}\n`;
}

function isModelMissing({ model, modelHint }: ModelState): boolean {
  return model === null && modelHint !== '';
}

function placeModel(state: ModelState): readonly string[] {
  return isModelMissing(state) ? [] : [`  ${formatModel(state)}`];
}

/** `token`: null if it is not known any more. */
function formatCalls({ address, projects, example }: LocalStarted, token: string | null): string {
  const authorization = `-H ${quoteLiteral(`Authorization: Bearer ${token ?? 'TOKEN'}`)}`;
  const project = projects.find(({ id }) => id === example?.projectId) ?? projects[0];
  const data = example?.data ?? 'PASTE AN ERROR MESSAGE OR A LOG HERE';
  const body = JSON.stringify({ projectId: project?.name ?? 'PROJECT_ID', data }, null, 2);
  return `Submit a report – replace ${token === null ? 'TOKEN, and ' : ''}"data" with your own:

curl -i ${address}/api/v1/issues/ \\
  ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d ${quoteLiteral(body)}

Watch it in the browser, or wait for it here. Replace INV_ID with the id in the response
(inv_…), and ISS_ID with the issue's (iss_…) once it is there:

curl '${address}/api/v1/investigations/INV_ID/?wait=60' \\
  ${authorization}

curl ${address}/api/v1/issues/ISS_ID/ \\
  ${authorization}

Or receive a webhook: add "callbackUrl": "${RECEIVER_ADDRESS}" to the
report, and run this in another terminal:

${RECEIVER}`;
}

interface SetupStarted {
  /** Base address, without a slash at its end. */
  readonly address: string;
  /** Where the port is. */
  readonly listening: string;
  /** PUBLIC_URL is missing, although the port is open to other machines. */
  readonly lacksPublicUrl: boolean;
  readonly code: string;
}

export function formatSetup({ address, listening, lacksPublicUrl, code }: SetupStarted): string {
  return `Causeway is not connected to GitHub yet. Open this page and enter the code:

  ${address}/setup
  one-time code  ${code}

Listening on ${listening}. The code is valid until this process ends.
${lacksPublicUrl ? `${NO_PUBLIC_URL}\n` : ''}For local mode instead, without GitHub, set LOCAL_MODE=1 and HOST=127.0.0.1.
`;
}

/** Once GitHub has named the App, where it is not installed yet. */
export function formatNotInstalled(pageUrl: string): string {
  return `The App is not installed anywhere yet. Choose its repositories here:\n  ${toPrintableLine(pageUrl)}/installations/new\n`;
}

/** Printed instead if the App is installed only for owners that are ignored. */
export function formatIgnoredOwners(pageUrl: string, owners: readonly string[]): string {
  const them = owners.length === 1 ? 'it' : 'them';
  return `The App is installed for ${toPrintableLine(owners.join(', '))}, but ignored there: ALLOWED_OWNERS doesn't include ${them}
(if it is empty, only the owner of the App is allowed). Add ${them} and restart, or install the App for an allowed owner:
  ${toPrintableLine(pageUrl)}/installations/new
`;
}

/** Ends with a line feed. */
export function formatWorkerStart(started: WorkerStarted): string {
  const { listening, database, concurrency, paused } = started;
  return `Causeway runs jobs: ${concurrency} ${concurrency === 1 ? 'investigation' : 'investigations'} at a time.
  Records: ${toPrintableLine(database)}
  Status: ${listening}/readyz. Press Ctrl-C to stop.
  ${formatModel(started)}${paused ? '\n  Paused: no model is used and nothing is posted, until "causeway resume".' : ''}
`;
}
